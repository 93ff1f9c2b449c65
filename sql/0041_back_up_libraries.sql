-- The libraries of hubs: volumes in the hubs' namespaces with the packages of courses. A row is added when a hub publishes its
-- first course. `packages` are the SHA-256 hashes of the packages that the last check found among those that the hub names.
create table libraries (
  federation_id text primary key references federations (id),
  packages jsonb not null default '[]',
  used_bytes bigint check (used_bytes >= 0), -- of the whole volume; null before the first check
  free_bytes bigint check (free_bytes >= 0),
  checked_at timestamptz(3),
  -- When the library is checked next. A publication sets it to now.
  check_due_at timestamptz(3) not null default wheelwright_now(),
  -- Why the last check or backup failed; null if it succeeded.
  error text,
  error_code text,
  check ((error is null) = (error_code is null))
);
create index libraries_due on libraries (check_due_at);

-- Snapshots of these volumes. Like the backups of spokes, they outlive the namespace. `volumes` has one volume, with the fields
-- of `backups`, and `packages` are those that the volume had right before the snapshot.
--
--   pending --> ready ----> deleted      by retention
--      |                       ^
--      +-----> failed ---------+
create table library_backups (
  id text primary key,
  federation_id text not null references federations (id),
  job_id text not null unique,
  cluster text not null,
  namespace text not null,
  state text not null default 'pending' check (state in ('pending', 'ready', 'failed', 'deleted')),
  volumes jsonb not null default '[]',
  packages jsonb not null,
  size_bytes bigint check (size_bytes >= 0),
  error text,
  created_at timestamptz(3) not null default wheelwright_now(),
  ready_at timestamptz(3),
  failed_at timestamptz(3),
  deleting_since timestamptz(3),
  deleted_at timestamptz(3),
  check (state <> 'ready' or ready_at is not null),
  check (state <> 'failed' or failed_at is not null),
  check ((state = 'deleted') = (deleted_at is not null))
);
create index library_backups_of_hub on library_backups (federation_id, created_at desc, id desc);
create index library_backups_not_deleted on library_backups (federation_id) where state <> 'deleted';
