-- An operation may wait in the queue for another one: `awaits` is the other's id. When that has ended, its time has come, and
-- its lane is called, as at each change of run_at (0028). Who begins to wait looks at the other one under a lock that its end
-- takes as well, so that no end is missed.
alter table jobs add column awaits text;

create function call_awaiting() returns trigger language plpgsql
as $$
begin
  update jobs set run_at = wheelwright_now() where state = 'queued' and awaits = new.id and run_at > wheelwright_now();
  return null;
end $$;
create trigger jobs_call_awaiting after update of state on jobs
  for each row when (new.visible and old.state in ('queued', 'running') and new.state in ('succeeded', 'failed', 'cancelled'))
  execute function call_awaiting();
