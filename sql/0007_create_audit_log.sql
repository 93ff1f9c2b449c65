-- The audit log. Triggers make the table append-only. Each row stores its hub, spoke, audience and visibility, so that an
-- index finds the events that a user may see, and later changes in other tables have no effect on them.
create table audit_events (
  id text primary key,
  kind text not null,
  actor_id text not null,
  actor_email text not null,
  object_type text not null,
  object_id text not null,
  metadata jsonb not null,
  ip text not null,
  user_agent text not null,
  at timestamptz(3) not null,
  federation_id text references federations (id),
  spoke_id text references spokes (id),
  audience_user_id text references users (id),
  customer_visible boolean not null,
  -- Whether only operators see ip and user_agent, because the actor was an operator at the time.
  origin_private boolean not null default true
);
-- Each filter has an index in the order of a page, so the cost of a page does not depend on the length of the log. Some
-- indexes omit the id, which only orders events in the same millisecond, because the id would double their size.
create index audit_events_newest on audit_events (at desc, id desc);
create index audit_events_of_spoke on audit_events (spoke_id, at desc, id desc);
create index audit_events_of_hub on audit_events (federation_id, at desc, kind);
create index audit_events_of_actor on audit_events (actor_id, at desc, kind);
create index audit_events_of_object on audit_events (object_id, at desc, id desc);
create index audit_events_of_kind on audit_events (kind, at desc);
create index audit_events_of_object_type on audit_events (object_type, at desc);
-- Indexes of the events that customers see. A hub may have a thousand other events between two of these. The id is included,
-- so that a search for unread events reads only the index.
create index audit_events_visible on audit_events (at desc) include (id) where customer_visible;
create index audit_events_visible_of_federation on audit_events (federation_id, at desc) include (id)
  where customer_visible;
create index audit_events_visible_of_spoke on audit_events (spoke_id, at desc) include (id)
  where customer_visible and spoke_id is not null;
create index audit_events_visible_to_audience on audit_events
  (audience_user_id, coalesce(federation_id, ''), coalesce(spoke_id, ''), at desc) include (id)
  where customer_visible and audience_user_id is not null;

create function refuse_audit_change() returns trigger language plpgsql
as $$ begin raise exception 'audit_events is append-only' using errcode = 'insufficient_privilege'; end $$;

create trigger audit_events_append_only before update or delete on audit_events
  for each row execute function refuse_audit_change();
create trigger audit_events_no_truncate before truncate on audit_events
  for each statement execute function refuse_audit_change();

-- A chain is the id of a hub, or 'system' for events without a hub. A seal is a hash over all events of a chain up to the
-- event (last_at, last_id); lib/audit/chain.ts defines the hash. A seal only moves forward, to prevent mistakes.
-- Only a head (hash) that was exported elsewhere can reveal changes by the owner of the tables.
create table audit_seals (
  chain text primary key,
  count bigint not null default 0 check (count >= 0),
  head text not null default repeat('0', 64) check (head ~ '^[0-9a-f]{64}$'),
  last_at timestamptz(3) not null default '-infinity',
  last_id text not null default '',
  sealed_at timestamptz(3) not null default wheelwright_now()
);

create function refuse_seal_change() returns trigger language plpgsql
as $$
begin
  if tg_op = 'UPDATE' and new.chain = old.chain and new.count > old.count and new.last_at >= old.last_at then
    return new;
  end if;
  raise exception 'audit_seals only moves forward' using errcode = 'insufficient_privilege';
end
$$;

create trigger audit_seals_forward_only before update or delete on audit_seals
  for each row execute function refuse_seal_change();
create trigger audit_seals_no_truncate before truncate on audit_seals
  for each statement execute function refuse_seal_change();

-- The number of events written to each chain. `audit verify` compares this number with the existing rows, to find events that
-- were deleted or added before they were sealed. A count only grows.
create table audit_counts (
  chain text primary key,
  events bigint not null check (events > 0)
);

create function count_audit_events() returns trigger language plpgsql
as $$
begin
  insert into audit_counts as counted (chain, events)
    select coalesce(federation_id, 'system'), count(*) from written group by 1 order by 1
    on conflict (chain) do update set events = counted.events + excluded.events;
  return null;
end
$$;

create trigger audit_events_counted after insert on audit_events referencing new table as written
  for each statement execute function count_audit_events();

create function refuse_count_change() returns trigger language plpgsql
as $$
begin
  if tg_op = 'UPDATE' and new.chain = old.chain and new.events > old.events then
    return new;
  end if;
  raise exception 'audit_counts only grows' using errcode = 'insufficient_privilege';
end
$$;

create trigger audit_counts_only_grow before update or delete on audit_counts
  for each row execute function refuse_count_change();
create trigger audit_counts_no_truncate before truncate on audit_counts
  for each statement execute function refuse_count_change();
