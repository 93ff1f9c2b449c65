-- concurrently
create index concurrently if not exists jobs_awaiting on jobs (awaits) where state = 'queued' and awaits is not null;
