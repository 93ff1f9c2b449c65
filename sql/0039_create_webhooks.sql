-- A webhook sends the events of a hub's stream, or of all streams, to a URL. It is a reader of the stream with a stored
-- position in each hub, so that an event needs no row per webhook.
create table webhooks (
  id text primary key,
  federation_id text references federations (id), -- null: a webhook of the installation, which gets the events of all hubs
  url text not null,
  event_types text[] not null default '{}', -- empty: all types
  description text not null default '',
  secret text not null, -- encrypted with SECRETS_KEY
  former_secret text, -- also signs until the time below
  former_secret_ends_at timestamptz(3),
  state text not null default 'active' check (state in ('active', 'disabled')),
  disabled_reason text,
  created_by text not null references users (id),
  created_at timestamptz(3) not null default wheelwright_now(),
  updated_at timestamptz(3) not null default wheelwright_now(),
  check ((former_secret is null) = (former_secret_ends_at is null))
);
create index webhooks_by_hub on webhooks (federation_id, created_at desc, id desc);

-- How far a webhook has delivered the events of a hub. The cursor moves in the transaction that records the delivery.
create table webhook_cursors (
  webhook_id text not null references webhooks (id) on delete cascade,
  federation_id text not null references federations (id),
  number bigint not null, -- the number of the last event that was delivered or skipped
  attempt integer not null default 0, -- the failed attempts to deliver the next event
  failing_since timestamptz(3), -- the first failed attempt since the last success
  retry_at timestamptz(3), -- when the next attempt may start
  primary key (webhook_id, federation_id)
);
create index webhook_cursors_by_hub on webhook_cursors (federation_id);

-- Each attempt with its answer, for 14 days and at most 1,000 per webhook.
create table webhook_deliveries (
  id text primary key,
  webhook_id text not null references webhooks (id) on delete cascade,
  federation_id text,
  number bigint, -- the event's number; null for a test message
  trigger text not null check (trigger in ('event', 'test', 'redelivery')),
  message_id text not null,
  type text not null,
  body text not null,
  attempt integer not null,
  status integer, -- null: no answer
  answer text not null,
  error text, -- null: delivered
  duration_ms integer not null,
  created_at timestamptz(3) not null default wheelwright_now()
);
create index webhook_deliveries_by_time on webhook_deliveries (webhook_id, created_at desc, id desc);
