-- How many events each chain of the audit log has received since first_at. `audit verify` compares it with the rows, so it
-- finds events that were deleted or added before they were sealed. A chain is named as in audit_seals. Where events are
-- older than this migration, first_at is the time of the first newer one: to count the older ones would hold up writers for
-- as long as the log is read. For every other chain it is -infinity.
--
-- A trigger counts, because the last release may still write while this one runs. Writers of one chain already wait for
-- each other, so the chain's row adds no wait. A count only grows: that prevents mistakes, but the owner of the tables can
-- disable the triggers.
create table audit_counts (
  chain text primary key,
  events bigint not null check (events > 0),
  first_at timestamptz(3) not null
);

create function count_audit_events() returns trigger language plpgsql
as $$
declare
  added record;
begin
  for added in
    select federation_id, coalesce(federation_id, 'system') as chain, count(*) as events, min(at) as at
    from written group by federation_id order by 2
  loop
    update audit_counts set events = events + added.events where chain = added.chain;
    continue when found;
    insert into audit_counts as counted (chain, events, first_at)
      select added.chain, added.events, case
        when exists (select from audit_events where federation_id = added.federation_id and at < added.at) then added.at
        when added.federation_id is null
          and exists (select from audit_events where federation_id is null and at < added.at) then added.at
        else '-infinity' end
      on conflict (chain) do update set events = counted.events + excluded.events;
  end loop;
  return null;
end
$$;

create trigger audit_events_counted after insert on audit_events referencing new table as written
  for each statement execute function count_audit_events();

create function refuse_count_change() returns trigger language plpgsql
as $$
begin
  if tg_op = 'UPDATE' and new.chain = old.chain and new.first_at = old.first_at and new.events > old.events then
    return new;
  end if;
  raise exception 'audit_counts only grows' using errcode = 'insufficient_privilege';
end
$$;

create trigger audit_counts_only_grow before update or delete on audit_counts
  for each row execute function refuse_count_change();
create trigger audit_counts_no_truncate before truncate on audit_counts
  for each statement execute function refuse_count_change();
