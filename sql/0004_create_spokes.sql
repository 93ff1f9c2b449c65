-- Spokes: one Moodle each, in a namespace whose name is never used again. A removed spoke keeps its row for its history.
create table spokes (
  id text primary key,
  federation_id text not null references federations (id),
  slug text not null,
  display_name text not null,
  domain text not null check (domain = lower(domain)),
  -- The domain to which the site is to move.
  requested_domain text check (requested_domain = lower(requested_domain)),
  size text not null,
  identity boolean not null default false,
  content boolean not null default false,
  content_mode text,
  brand text,
  admin_email text not null,
  region text,
  lms_version text not null,
  seed text,
  -- The backup from which the site is created instead of an installation, and the spoke of which it is a copy.
  from_backup text,
  copy_of text references spokes (id),
  -- A copy's mail is held until somebody releases it: its users belong to the original site.
  mail text not null default 'on' check (mail in ('on', 'held')),
  state text not null check (state in ('provisioning', 'active', 'failed', 'suspending', 'suspended', 'resuming',
    'updating', 'removing', 'removed')),
  state_reason text,
  -- Requested by a user. The login page then answers 503 and scheduled tasks are paused, which is not a failure.
  maintenance boolean not null default false,
  health text not null default 'unknown' check (health in ('healthy', 'degraded', 'unknown')),
  -- The number of successive failed health checks. The third one makes an active spoke degraded.
  failed_checks smallint not null default 0,
  drift jsonb,
  cluster text not null,
  cluster_uid text, -- as in federations
  namespace text not null unique,
  -- A late request with the UID of a removed namespace cannot reach another namespace.
  namespace_uid text,
  -- What the site's objects were rendered from.
  blueprint_revision text not null,
  blueprint_inputs jsonb not null,
  site_identifier text,
  -- The image that ran after the last installation, upgrade, restore or reapply, as the node reported it:
  -- `repository@sha256:…`, or `sha256:…` for an image without a registry. The publisher can move an image's tag.
  image_digest text check (length(image_digest) <= 400),
  -- When the next nightly backup and the next restore test are due. The transaction that queues one sets the next time.
  backup_due_at timestamptz(3),
  restore_test_due_at timestamptz(3),
  -- When the last backup passed its restore test, and since when tests have failed. Null if the last test passed, or if
  -- there was none.
  verified_at timestamptz(3),
  unverified_since timestamptz(3),
  -- The number of audit events of this spoke that customers see.
  visible_events bigint not null default 0,
  created_by text not null references users (id),
  created_at timestamptz(3) not null default wheelwright_now(),
  updated_at timestamptz(3) not null default wheelwright_now(),
  ready_at timestamptz(3),
  observed_at timestamptz(3),
  removed_at timestamptz(3),
  recorded_at timestamptz(3), -- as in federations
  backup_updated_at timestamptz(3), -- as in federations
  check ((state = 'removed') = (removed_at is not null))
) with (fillfactor = 80); -- every sweep updates the rows of all active spokes
create unique index spokes_live_slug on spokes (federation_id, slug) where state <> 'removed';
create index spokes_of_federation on spokes (federation_id, created_at desc, id desc);
create index spokes_due_for_backup on spokes (cluster, backup_due_at) where state = 'active';
create index spokes_due_for_restore_test on spokes (cluster, restore_test_due_at) where state = 'active';
-- Spokes that are still to be created from a backup. Retention does not delete that backup.
create index spokes_creating_from_backup on spokes (from_backup)
  where from_backup is not null and ready_at is null and state <> 'removed';
-- A domain is refused if it is above or below the domain of another spoke. Reversed, domains below it have a common prefix.
create unique index spokes_live_domain on spokes (domain) where state <> 'removed';
create index spokes_reversed_domain on spokes (reverse(domain) collate "C") where state <> 'removed';
create unique index spokes_requested_domain on spokes (requested_domain) where state <> 'removed';
create index spokes_reversed_requested_domain on spokes (reverse(requested_domain) collate "C")
  where state <> 'removed' and requested_domain is not null;

-- Domains that spokes have moved away from. Until `until` they redirect to the present domain, and are reserved.
create table former_domains (
  domain text primary key check (domain = lower(domain)),
  spoke_id text not null references spokes (id),
  until timestamptz(3) not null
);
create index former_domains_of_spoke on former_domains (spoke_id);
create index former_domains_reversed on former_domains (reverse(domain) collate "C");
create index former_domains_by_end on former_domains (until);

create table spoke_members (
  spoke_id text not null references spokes (id),
  user_id text not null references users (id),
  created_at timestamptz(3) not null default wheelwright_now(),
  primary key (spoke_id, user_id)
);
create index spoke_members_of_user on spoke_members (user_id);
