-- A large bulk action changes only some of a cluster's sites at the same time: each of its operations needs a turn. An operation
-- without a turn does not start, and operations that were requested later for the same spoke wait for it. Rows are deleted when
-- the operation ends.
create table turns (
  job_id text primary key references jobs (id) on delete cascade,
  spoke_id text not null,
  cluster text not null,
  seq bigint not null, -- the job's place in the queue
  granted boolean not null
);
create index turns_of_spokes on turns (spoke_id, seq) where not granted;
create index turns_of_clusters on turns (cluster, granted, seq);

-- Passes the turn of an operation that has ended to the next operation in the cluster. The lock makes sure that an operation that
-- is being added sees the end of this one, or is seen by it.
create function pass_turn() returns trigger language plpgsql
as $$
declare
  ended turns;
begin
  delete from turns where job_id = new.id returning * into ended;
  if ended.job_id is null or not ended.granted then
    return null;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('wheelwright: turns in ' || ended.cluster, 0));
  with next as (
    update turns set granted = true
    where job_id = (select job_id from turns where cluster = ended.cluster and not granted order by seq limit 1 for update)
    returning job_id
  )
  insert into ready_lanes (at, lane) select jobs.run_at, jobs.lane from next join jobs on jobs.id = next.job_id
  where jobs.lane is not null;
  return null;
end $$;
create trigger jobs_pass_turn after update of state on jobs
  for each row when (new.visible and old.state in ('queued', 'running') and new.state in ('succeeded', 'failed', 'cancelled'))
  execute function pass_turn();
