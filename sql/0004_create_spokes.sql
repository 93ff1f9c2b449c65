-- Spokes: each is one Moodle site in a namespace whose name is never reused. The row of a removed spoke is kept as history.
create table spokes (
  id text primary key,
  federation_id text not null references federations (id),
  slug text not null,
  display_name text not null,
  domain text not null check (domain = lower(domain)),
  -- The domain to which the site will move.
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
  -- The backup from which the site is created instead of a new installation, and the spoke from which it is copied.
  from_backup text,
  copy_of text references spokes (id),
  -- The mail of a copied site is held until somebody releases it, because the users belong to the original site.
  mail text not null default 'on' check (mail in ('on', 'held')),
  state text not null check (state in ('provisioning', 'active', 'failed', 'suspending', 'suspended', 'resuming',
    'updating', 'removing', 'removed')),
  state_reason text,
  -- Whether a user turned on maintenance mode. The login page then returns 503, and scheduled tasks are paused.
  maintenance boolean not null default false,
  health text not null default 'unknown' check (health in ('healthy', 'degraded', 'unknown')),
  -- The number of consecutive failed health checks. The third failure makes an active spoke degraded.
  failed_checks smallint not null default 0,
  drift jsonb,
  cluster text not null,
  cluster_uid text, -- as in federations
  namespace text not null unique,
  -- Requests include this UID, so that a late request for a removed namespace cannot reach another namespace.
  namespace_uid text,
  -- The blueprint and the values from which the site's Kubernetes objects were rendered.
  blueprint_revision text not null,
  blueprint_inputs jsonb not null,
  site_identifier text,
  -- The image that ran after the last installation, upgrade, restore or reapply, as the node reported it:
  -- `repository@sha256:…`, or `sha256:…` for an image without a registry. The publisher can move an image's tag.
  image_digest text check (length(image_digest) <= 400),
  -- When the next nightly backup and the next restore test are due. The transaction that queues a job sets its next time.
  backup_due_at timestamptz(3),
  restore_test_due_at timestamptz(3),
  -- When a backup last passed its restore test, and since when restore tests have failed. The second value is null if the
  -- last test passed, or if no test has run.
  verified_at timestamptz(3),
  unverified_since timestamptz(3),
  -- The number of audit events about this spoke that customers see.
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
-- Spokes that are not created from their backup yet. Retention does not delete such a backup.
create index spokes_creating_from_backup on spokes (from_backup)
  where from_backup is not null and ready_at is null and state <> 'removed';
-- A domain is refused if it is a parent or a subdomain of another spoke's domain. Reversed subdomains have a common prefix.
create unique index spokes_live_domain on spokes (domain) where state <> 'removed';
create index spokes_reversed_domain on spokes (reverse(domain) collate "C") where state <> 'removed';
create unique index spokes_requested_domain on spokes (requested_domain) where state <> 'removed';
create index spokes_reversed_requested_domain on spokes (reverse(requested_domain) collate "C")
  where state <> 'removed' and requested_domain is not null;

-- Former domains of spokes. Until the time `until`, each redirects to the spoke's current domain and stays reserved.
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
