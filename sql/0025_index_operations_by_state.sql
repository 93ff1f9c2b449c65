-- concurrently
-- Pages of the operations in all hubs in one state.
create index concurrently if not exists jobs_of_state on jobs (state, created_at desc, seq desc) where visible;
