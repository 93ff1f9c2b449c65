-- The courses that a hub offers to its spokes, with all their versions. They are a column of the hub's row, like everything
-- else that the hub's record in the cluster contains. The packages are on a volume in the hub's namespace.
alter table federations add column courses jsonb; -- null: no course was ever published
