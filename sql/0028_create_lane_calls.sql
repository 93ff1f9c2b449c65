-- A call says: in this lane there may be a job to start, from this time on. A look for work reads the first calls and no
-- more, however many jobs and lanes wait. Whatever makes a job startable adds a call in its own transaction; a look takes
-- a call away when it starts a job of the lane, or sees that none can start. Calls are only added and taken away, so
-- nobody who enqueues waits for another. Why no job is forgotten: docs/queue.md.
--
-- A call is for the replicas that know its kind; one without a kind is for all, and says that something ended.
create table lane_calls (
  id bigint generated always as identity,
  kind text not null default '',
  plan integer not null default 0,
  at timestamptz(3) not null,
  lane text not null,
  primary key (kind, plan, at, id)
) with (
  -- It is filled and emptied within moments, and PostgreSQL must not go on planning for what it was.
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 1000,
  autovacuum_analyze_scale_factor = 0,
  autovacuum_analyze_threshold = 1000
);

-- Replicas of the release before this one write jobs before the service's role is given its rights: it has them at once.
do $$
declare writer text;
begin
  for writer in select distinct grantee from information_schema.role_table_grants
    where table_schema = current_schema() and table_name = 'jobs' and privilege_type = 'INSERT'
      and grantee in (select rolname from pg_roles where rolname <> current_user)
  loop
    execute format('grant select, insert, delete on lane_calls to %I', writer);
  end loop;
end $$;

-- A trigger, so that no release and no statement typed by hand can forget it.
create function call_lanes() returns trigger language plpgsql
as $$
begin
  if new.state = 'queued' and new.lane is not null then
    insert into lane_calls (kind, plan, at, lane) values (new.kind, new.plan, new.run_at, new.lane);
  end if;
  -- What was called off, or put off, may have held its lane for all who do not know its kind.
  if tg_op = 'UPDATE' and old.state = 'queued' and new.state <> 'running' and old.lane is not null
    and (new.state <> 'queued' or new.run_at > old.run_at) then
    insert into lane_calls (at, lane) values (old.run_at, old.lane);
  end if;
  if tg_op = 'UPDATE' and old.state = 'running' and new.state <> 'running' then
    -- The place that the job had in the order, so that lanes take turns by the age of their jobs.
    if old.lane is not null then
      insert into lane_calls (at, lane) values (old.run_at, old.lane);
    end if;
    -- Other operations of the spoke waited for this one: they are in its own lane, or in its hub's.
    if old.visible and old.spoke_id is not null then
      insert into lane_calls (at, lane) select old.run_at, lane
      from unnest(array['spoke:' || old.spoke_id, 'federation:' || old.federation_id]) as lane
      where lane is not null and lane is distinct from old.lane;
    end if;
  end if;
  return null;
end $$;
create trigger jobs_call_when_added after insert on jobs
  for each row when (new.state = 'queued' and new.lane is not null) execute function call_lanes();
create trigger jobs_call_when_changed after update of state, run_at on jobs
  for each row when (old.state <> new.state or old.run_at <> new.run_at) execute function call_lanes();

-- What is in the queue already. To make the triggers took a lock that holds all writers of jobs off until the commit.
insert into lane_calls (kind, plan, at, lane) select kind, plan, run_at, lane from jobs
  where state = 'queued' and lane is not null order by seq;
