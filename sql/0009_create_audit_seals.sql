-- How far each chain of the audit log is sealed, and the hash of all of it (lib/audit/chain.ts says of what). A chain is
-- a hub's id, or 'system' for the events of no hub. last_at and last_id are the last sealed event's: sealing goes on
-- behind it, in the order (at, id). A seal only moves forward; that holds off mistakes and not whoever owns the
-- database, against whom nothing but a head that was exported elsewhere helps.
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
