-- The particulars of hubs and spokes stand in their namespaces too, so that what was made after a backup of this database can be
-- taken up again where the database is restored from it. `installation` tells one control plane from another in the same
-- cluster: particulars are signed with its key. recorded_at is the updated_at of the row as its namespace has it.
create table installation (
  only_row boolean primary key default true check (only_row),
  id text not null,
  key text not null
);
insert into installation (id, key) values (
  'ins_' || left(replace(gen_random_uuid()::text, '-', ''), 16),
  replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '')
);
alter table federations add column recorded_at timestamptz(3);
alter table spokes add column recorded_at timestamptz(3);
