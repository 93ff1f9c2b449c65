-- A ready lane (queue) may have a job that can start at the time `at`. Replicas poll only the first ready lanes, so the cost of
-- a poll does not depend on the number of jobs and lanes. A transaction that makes a job startable also adds a row. A poll
-- deletes the row when it starts a job of the lane, or finds no job to start. Rows are never updated, so enqueueing never
-- waits for a lock. docs/queue.md explains why no job is missed.
--
-- A row with a kind is for replicas that know this kind and plan. A row without a kind (a job ended) is for all replicas.
create table ready_lanes (
  id bigint generated always as identity,
  kind text not null default '',
  plan integer not null default 0,
  at timestamptz(3) not null,
  lane text not null,
  primary key (kind, plan, at, id)
) with (
  -- The table fills and empties within moments, so its statistics must be updated often.
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 1000,
  autovacuum_analyze_scale_factor = 0,
  autovacuum_analyze_threshold = 1000
);

-- Adds the rows in a trigger, so that every release and every manual statement adds them.
create function add_ready_lanes() returns trigger language plpgsql
as $$
begin
  if new.state = 'queued' and new.lane is not null then
    insert into ready_lanes (kind, plan, at, lane) values (new.kind, new.plan, new.run_at, new.lane);
  end if;
  -- A cancelled or postponed job may have blocked its lane for replicas that do not know its kind.
  if tg_op = 'UPDATE' and old.state = 'queued' and new.state <> 'running' and old.lane is not null
    and (new.state <> 'queued' or new.run_at > old.run_at) then
    insert into ready_lanes (at, lane) values (old.run_at, old.lane);
  end if;
  if tg_op = 'UPDATE' and old.state = 'running' and new.state <> 'running' then
    -- Uses the run_at of the ended job, so that lanes take turns by the age of their jobs.
    if old.lane is not null then
      insert into ready_lanes (at, lane) values (old.run_at, old.lane);
    end if;
    -- Other operations on the spoke may wait for this operation, in the lane of the spoke or of its hub.
    if old.visible and old.spoke_id is not null then
      insert into ready_lanes (at, lane) select old.run_at, lane
      from unnest(array['spoke:' || old.spoke_id, 'federation:' || old.federation_id]) as lane
      where lane is not null and lane is distinct from old.lane;
    end if;
  end if;
  return null;
end $$;
create trigger jobs_ready_when_added after insert on jobs
  for each row when (new.state = 'queued' and new.lane is not null) execute function add_ready_lanes();
create trigger jobs_ready_when_changed after update of state, run_at on jobs
  for each row when (old.state <> new.state or old.run_at <> new.run_at) execute function add_ready_lanes();

-- Installations wait in the hub's lane until the hub is active.
create function add_ready_lane_of_hub() returns trigger language plpgsql
as $$
begin
  insert into ready_lanes (at, lane) values (wheelwright_now(), 'federation:' || new.id);
  return null;
end $$;
create trigger federations_ready_when_active after update of state on federations
  for each row when (old.state <> new.state and new.state = 'active') execute function add_ready_lane_of_hub();

-- When an operation ends, jobs that wait for it become due. A job that starts to wait locks the operation's row, and so does
-- the end of the operation, so the job cannot miss the end.
create function end_waits() returns trigger language plpgsql
as $$
begin
  update jobs set run_at = wheelwright_now() where state = 'queued' and waits_for = new.id and run_at > wheelwright_now();
  return null;
end $$;
create trigger jobs_end_waits after update of state on jobs
  for each row when (new.visible and old.state in ('queued', 'running') and new.state in ('succeeded', 'failed', 'cancelled'))
  execute function end_waits();
