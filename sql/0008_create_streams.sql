-- The event stream of each hub, and stored responses for repeated requests.

-- A transaction that writes an event locks the hub's row in this table last. Event numbers therefore have no gaps and follow
-- the order of commits, unlike a sequence, and `at` grows by at least 1 ms per event. Pruning deletes events up to
-- pruned_through, except the latest event of each existing hub and spoke.
create table stream_heads (
  federation_id text primary key references federations (id),
  number bigint not null default 0,
  last_at timestamptz(3) not null default wheelwright_now(),
  -- The number of audit events about this hub that customers see.
  visible_events bigint not null default 0,
  pruned_through bigint not null default 0
);

create table stream_events (
  federation_id text not null references federations (id),
  number bigint not null check (number > 0),
  type text not null,
  at timestamptz(3) not null,
  spoke_id text references spokes (id),
  data jsonb not null,
  primary key (federation_id, number)
);
create index stream_events_latest_of_spoke on stream_events (spoke_id, number desc);
create index stream_events_latest_of_hub on stream_events (federation_id, number desc) where spoke_id is null;
create index stream_events_by_age on stream_events (at);

-- The response to a create request with an Idempotency-Key. The creating transaction writes the row, so a concurrent request
-- with the same key waits for the primary key until that transaction ends.
create table idempotency_keys (
  user_id text not null references users (id),
  method text not null,
  path text not null,
  key text not null,
  body_hash bytea not null,
  reply jsonb,
  created_at timestamptz(3) not null default wheelwright_now(),
  primary key (user_id, method, path, key)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);
