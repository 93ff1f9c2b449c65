-- What a program must know to work on a migration that takes something away, for programs older than that migration: the name
-- of an earlier one. Null of all that only add.
alter table migrations add column if not exists needs text;
