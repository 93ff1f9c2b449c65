-- How often the sweep has found an active spoke unwell in a row: the third time makes it degraded. Every sweep writes the
-- rows of all active spokes, so pages keep room for a new version of a row beside the old one.
alter table spokes add column bad_looks smallint not null default 0;
alter table spokes set (fillfactor = 80);
