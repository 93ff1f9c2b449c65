-- Installs wait in the hub's lane for the hub to be active: then there is a call (0028). By itself, so that no migration
-- waits for the lock of one table while it holds another's, which transactions under way take in another order.
create function call_hub_lane() returns trigger language plpgsql
as $$
begin
  insert into lane_calls (at, lane) values (wheelwright_now(), 'federation:' || new.id);
  return null;
end $$;
create trigger federations_call_when_active after update of state on federations
  for each row when (old.state <> new.state and new.state = 'active') execute function call_hub_lane();
