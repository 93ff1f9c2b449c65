-- Backups: snapshots of both volumes of a spoke, taken at the same time by one operation. The row and the snapshots outlive the
-- spoke's namespace. `volumes` has the names and handles of the snapshots, so a removed spoke can be restored. Each volume is
-- {claim, snapshot, snapshotUid, content, handle, driver, class, restoreSize}, without fields that are not known yet.
--
--   pending --> ready ----> deleted      by retention only; a backup with deleting_since can no longer be restored
--      |                       ^
--      +-----> failed ---------+         retention deletes what the failed attempt created
create table backups (
  id text primary key,
  spoke_id text not null references spokes (id),
  federation_id text not null references federations (id),
  operation_id text not null unique,
  cluster text not null,
  namespace text not null,
  kind text not null check (kind in ('nightly', 'manual', 'upgrade', 'last')),
  state text not null default 'pending' check (state in ('pending', 'ready', 'failed', 'deleted')),
  volumes jsonb not null default '[]',
  size_bytes bigint check (size_bytes >= 0),
  error text,
  -- Whether the failure was recorded in the audit log.
  failure_reported boolean not null default false,
  -- Values for a new site that is created from this backup: the version, the images {moodle, postgres, fpmDirectory}, and
  -- Moodle's own identifier of the site.
  lms_version text,
  images jsonb,
  site_identifier text,
  -- Counts right before and after the backup: {before, after}, each with {courses, users}. Null if not counted.
  counts jsonb,
  -- The job of the last restore test. If the test passed, verification has the results; if not, verification_error the reason.
  restore_test_id text,
  verified_at timestamptz(3),
  verification jsonb,
  verification_error text,
  created_at timestamptz(3) not null default wheelwright_now(),
  ready_at timestamptz(3),
  failed_at timestamptz(3),
  deleting_since timestamptz(3),
  deleted_at timestamptz(3),
  check (state <> 'ready' or ready_at is not null),
  check (state <> 'failed' or failed_at is not null),
  check ((state = 'deleted') = (deleted_at is not null)),
  check (kind <> 'last' or deleting_since is null),
  check ((verified_at is null) = (verification is null))
);
create index backups_of_spoke on backups (spoke_id, created_at desc, id desc);
create index backups_not_deleted on backups (spoke_id, created_at desc) where state <> 'deleted';
create index backups_failed on backups (spoke_id, failed_at desc) where failed_at is not null;
create index backups_pending on backups (operation_id) where state = 'pending';
create index backups_to_prune on backups (deleted_at)
  where state = 'deleted' and kind = 'nightly' and ready_at is not null;

-- The snapshot classes of each cluster that retain snapshots, as last read: [{name, driver}]; null before the first reading.
-- A request for a spoke's backups reads this table, so the request does not wait for the cluster.
create table cluster_snapshots (
  cluster text primary key,
  classes jsonb,
  error text,
  checked_at timestamptz(3) not null default wheelwright_now()
);

-- PVCs in a spoke's namespace that the site does not use, until they are deleted: PVCs that a restore replaced, kept for a
-- rollback, and PVCs that a failed restore created. The row is deleted with the PVC, or when the site uses the PVC again.
-- After deleting_since, a rollback is no longer possible.
create table retained_pvcs (
  spoke_id text not null references spokes (id),
  claim text not null, -- the name of the PVC
  -- Null for a PVC of a failed restore: its name is unique, and it may not exist.
  uid text,
  operation_id text not null,
  reason text not null check (reason in ('replaced', 'unused')),
  since timestamptz(3) not null default wheelwright_now(),
  until timestamptz(3) not null,
  deleting_since timestamptz(3),
  primary key (spoke_id, claim),
  check (reason <> 'replaced' or uid is not null)
);
create index retained_pvcs_by_end on retained_pvcs (until);

-- Requests by hub admins that an operator restore a spoke from a backup.
--
--            restored, or marked    done
--   open ------------------------+-> declined
--            declined
create table restore_requests (
  id text primary key,
  federation_id text not null references federations (id),
  spoke_id text not null references spokes (id),
  backup_id text not null,
  reason text not null,
  state text not null default 'open' check (state in ('open', 'done', 'declined')),
  requested_by text not null references users (id),
  decided_by text references users (id),
  decided_at timestamptz(3),
  decline_reason text,
  created_at timestamptz(3) not null default wheelwright_now(),
  updated_at timestamptz(3) not null default wheelwright_now(),
  check ((state = 'open') = (decided_at is null)),
  check (state <> 'open' or decided_by is null),
  check ((state = 'declined') = (decline_reason is not null))
);
create unique index restore_requests_one_open_per_backup on restore_requests (spoke_id, backup_id) where state = 'open';
create index restore_requests_newest on restore_requests (created_at desc, id desc);
create index restore_requests_of_spoke on restore_requests (spoke_id, created_at desc, id desc);
create index restore_requests_of_user on restore_requests (requested_by, created_at desc) where state = 'open';
