-- concurrently
-- Pages of the operations in all hubs.
create index concurrently if not exists jobs_newest on jobs (created_at desc, seq desc) where visible;
