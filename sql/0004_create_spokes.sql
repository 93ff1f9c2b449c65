-- Spokes: one Moodle each, in a namespace whose name is never used twice. The namespace's uid is kept, so that a
-- late call can never touch another's; blueprint_revision and blueprint_inputs are what the spoke was made from.
create table spokes (
  id text primary key,
  federation_id text not null references federations (id),
  slug text not null,
  display_name text not null,
  domain text not null check (domain = lower(domain)),
  size text not null,
  identity boolean not null default false,
  content boolean not null default false,
  content_mode text,
  brand text,
  admin_email text not null,
  region text,
  lms_version text not null,
  seed text,
  state text not null check (state in ('provisioning', 'active', 'failed', 'suspending', 'suspended', 'resuming',
    'updating', 'removing', 'removed')),
  state_reason text,
  health text not null default 'unknown' check (health in ('healthy', 'degraded', 'unknown')),
  cluster text not null,
  namespace text not null unique,
  namespace_uid text,
  blueprint_revision text not null,
  blueprint_inputs jsonb not null,
  site_identifier text,
  drift jsonb,
  visible_events bigint not null default 0,
  created_by text not null references users (id),
  created_at timestamptz(3) not null default wheelwright_now(),
  updated_at timestamptz(3) not null default wheelwright_now(),
  ready_at timestamptz(3),
  observed_at timestamptz(3),
  removed_at timestamptz(3),
  check ((state = 'removed') = (removed_at is not null))
);
create unique index spokes_one_live_slug on spokes (federation_id, slug) where state <> 'removed';
create unique index spokes_one_live_domain on spokes (domain) where state <> 'removed';
create index spokes_of_federation on spokes (federation_id, created_at desc, id desc);

create table spoke_members (
  spoke_id text not null references spokes (id),
  user_id text not null references users (id),
  created_at timestamptz(3) not null default wheelwright_now(),
  primary key (spoke_id, user_id)
);
create index spoke_members_of_user on spoke_members (user_id);
