-- concurrently
-- Pages of the operations in one state, a page per hub.
create index concurrently if not exists jobs_of_federation_state on jobs (federation_id, state, created_at desc, seq desc)
  where visible;
