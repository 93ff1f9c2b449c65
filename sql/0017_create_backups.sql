-- Backups: snapshots of both volumes of a spoke, taken together by one operation. A row outlives the spoke's namespace, and
-- so do the snapshots' contents, whose names and handles are in `volumes`: with them an operator can restore a spoke that is
-- gone. Each volume is {claim, snapshot, snapshotUid, content, handle, driver, class, restoreSize}, as far as it is known.
--
--   pending --> ready ----> deleted      by the retention rule alone; removing_since says that this has begun, from when on
--      |                       ^         it is no good backup any more
--      +-----> failed ---------+         what an attempt left behind
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
  told boolean not null default false,
  created_at timestamptz(3) not null default wheelwright_now(),
  ready_at timestamptz(3),
  failed_at timestamptz(3),
  removing_since timestamptz(3),
  deleted_at timestamptz(3),
  check (state <> 'ready' or ready_at is not null),
  check (state <> 'failed' or failed_at is not null),
  check ((state = 'deleted') = (deleted_at is not null)),
  check (kind <> 'last' or removing_since is null)
);
create index backups_of_spoke on backups (spoke_id, created_at desc, id desc);
create index backups_standing on backups (spoke_id, created_at desc) where state <> 'deleted';
create index backups_failed on backups (spoke_id, failed_at desc) where failed_at is not null;
create index backups_pending on backups (operation_id) where state = 'pending';

-- What was last seen of the snapshot classes of each cluster that retain what they took: [{name, driver}], null until it was
-- seen. Whoever asks for a spoke's backups is told from here and does not wait for the cluster.
create table cluster_snapshots (
  cluster text primary key,
  classes jsonb,
  error text,
  looked_at timestamptz(3) not null default wheelwright_now()
);

-- When the next nightly backup is due. It is moved on in the transaction that queues the backup, so that there is one a night
-- however many replicas plan, and however many nights were missed.
alter table spokes add column backup_due_at timestamptz(3);
create index spokes_due_for_backup on spokes (cluster, backup_due_at) where state = 'active';
