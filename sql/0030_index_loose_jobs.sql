-- concurrently
-- Jobs without a lane have no calls (0028): they are looked for directly.
create index concurrently if not exists jobs_loose on jobs (run_at, seq) where state = 'queued' and lane is null;
