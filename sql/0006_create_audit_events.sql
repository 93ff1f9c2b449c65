-- The audit log: append-only, and the database says so itself. Federation, spoke, audience and visibility stand on
-- the row, so that what a caller may see is decided by an index and by nothing that can change later.
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
  customer_visible boolean not null
);
create index audit_events_newest on audit_events (at desc, id desc);
create index audit_events_of_spoke on audit_events (spoke_id, at desc, id desc);
create index audit_events_of_federation on audit_events (federation_id, at desc, id desc);
create index audit_events_of_object on audit_events (object_id, at desc, id desc);

create function refuse_audit_change() returns trigger language plpgsql
as $$ begin raise exception 'audit_events is append-only' using errcode = 'insufficient_privilege'; end $$;

create trigger audit_events_append_only before update or delete on audit_events
  for each row execute function refuse_audit_change();
create trigger audit_events_no_truncate before truncate on audit_events
  for each statement execute function refuse_audit_change();
