-- What a creation with an Idempotency-Key answered. The row is written in the creating transaction, so a concurrent
-- caller with the same key waits at the primary key until the first one has committed or is gone.
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
