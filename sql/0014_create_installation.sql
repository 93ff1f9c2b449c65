-- The identity of this installation. Hubs and spokes have site records in their namespaces, to rebuild a lost database. Site
-- records are signed with `key`; `id` distinguishes several installations in one cluster.
create table installation (
  only_row boolean primary key default true check (only_row),
  id text not null,
  key text not null
);
insert into installation (id, key) values (
  'ins_' || left(replace(gen_random_uuid()::text, '-', ''), 16),
  replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '')
);

-- Restores of this database from a backup. Until released_at is set, the database is held (runs no jobs), because it may be
-- older than the clusters. Nothing is changed there until an operator has compared the database with the clusters.
create table database_restores (
  restored_at timestamptz(3) primary key default wheelwright_now(),
  taken_at timestamptz(3) not null, -- when the backup was taken
  released_at timestamptz(3)
);
