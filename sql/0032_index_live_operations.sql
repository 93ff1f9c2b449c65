-- concurrently
-- Whether a spoke is busy, whatever it has done before.
create index concurrently if not exists jobs_live_of_spoke on jobs (spoke_id)
  where visible and state in ('queued', 'running');
