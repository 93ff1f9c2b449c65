-- Which cluster a namespace was made in: the uid of its namespace kube-system, which no other cluster has. Another cluster
-- under the same name answers 404 for a namespace that still stands in the first, and that must not count as removed. Null
-- until the namespace is made, and in rows of earlier releases until the namespace was seen again.
alter table federations add column cluster_uid text;
alter table spokes add column cluster_uid text;
