-- concurrently
-- For pruning. seen_at would be written with each use.
create index concurrently if not exists sessions_by_age on sessions (created_at);
