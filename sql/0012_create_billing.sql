-- Billing. The payment provider is authoritative for payments, and the rows of spokes for billed quantities. These tables
-- store the last request to the provider and the response. A hub without a subscription is not billed.
create table subscriptions (
  federation_id text primary key references federations (id),
  email text not null,
  customer_id text unique,
  subscription_id text unique,
  status text check (status in (
    'incomplete', 'incomplete_expired', 'trialing', 'active', 'past_due', 'canceled', 'unpaid', 'paused'
  )),
  currency text,
  -- The quantities that the provider was last sent, {size: quantity}; null if they are unknown and must be sent again.
  sent_quantities jsonb,
  -- The subscription items that the provider has reported since then.
  items jsonb not null default '[]',
  invoice jsonb,
  -- How sent and reported quantities differ. An operator must correct the difference.
  difference jsonb,
  past_due_since timestamptz(3),
  error text,
  retry_at timestamptz(3),
  checked_at timestamptz(3),
  created_at timestamptz(3) not null default wheelwright_now(),
  updated_at timestamptz(3) not null default wheelwright_now(),
  check (subscription_id is null or customer_id is not null),
  check ((status is null) = (subscription_id is null))
);

-- Events from the provider's webhook, each stored once. An event only names an object, which is then fetched again.
create table billing_events (
  id text primary key,
  type text not null,
  object_id text,
  customer_id text,
  federation_id text references federations (id),
  created_at timestamptz(3) not null,
  received_at timestamptz(3) not null default wheelwright_now(),
  handled_at timestamptz(3)
);
create index billing_events_received on billing_events (received_at);

-- Refunds that were recorded in the audit log, each stored once.
create table billing_refunds (
  id text primary key,
  federation_id text not null references federations (id),
  charge_id text,
  amount bigint not null check (amount >= 0), -- in the currency's minor unit
  currency text not null,
  created_at timestamptz(3) not null
);
