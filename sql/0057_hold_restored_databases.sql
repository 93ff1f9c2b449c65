-- The times to which this database was taken back. Until released_at is set it is held: it may be older than the clusters,
-- so nothing is done in them before an operator has compared the two.
create table database_restores (
  restored_at timestamptz(3) primary key default wheelwright_now(),
  -- When the backup was taken.
  taken_at timestamptz(3) not null,
  released_at timestamptz(3)
);
