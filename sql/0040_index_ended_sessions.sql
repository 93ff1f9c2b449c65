-- concurrently
-- For pruning.
create index concurrently if not exists sessions_ended on sessions (ended_at) where ended_at is not null;
