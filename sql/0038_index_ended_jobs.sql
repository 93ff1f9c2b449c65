-- concurrently
-- What is over, by age: for pruning. A job comes into it once, when it ends.
create index concurrently if not exists jobs_ended on jobs (visible, finished_at) where finished_at is not null;
