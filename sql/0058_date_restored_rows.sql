-- The updated_at that a row had in the backup that its database was restored from: what is asked for while that is held makes
-- it no newer than the cluster. Null where no database is held.
alter table federations add column as_of timestamptz(3);
alter table spokes add column as_of timestamptz(3);
