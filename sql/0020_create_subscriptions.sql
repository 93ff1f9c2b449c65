-- Billing: what each hub's subscription at the payment provider was last seen to be. A hub without a row is not billed
-- (staff made it, or no provider is connected). The provider holds the truth about money, the spokes' rows the truth about
-- what is to be paid for; this is what lies between.
--
-- `told` is what the provider was last asked to count, {size: quantity}; null when that is not known and is to be told anew.
-- `items` and `invoice` are what it showed since. `difference` is where the two part: found by looking, mended by people.
create table subscriptions (
  federation_id text primary key references federations (id),
  email text not null,
  customer_id text unique,
  subscription_id text unique,
  status text check (status in (
    'incomplete', 'incomplete_expired', 'trialing', 'active', 'past_due', 'canceled', 'unpaid', 'paused'
  )),
  currency text,
  told jsonb,
  items jsonb not null default '[]',
  invoice jsonb,
  difference jsonb,
  past_due_since timestamptz(3),
  error text,
  retry_at timestamptz(3),
  seen_at timestamptz(3),
  created_at timestamptz(3) not null default wheelwright_now(),
  updated_at timestamptz(3) not null default wheelwright_now(),
  check (subscription_id is null or customer_id is not null),
  check ((status is null) = (subscription_id is null))
);

-- Each event of the provider's webhook, once by its id, however often and in whatever order it comes. It says no more than
-- where to look: what it is about is fetched again.
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

-- Refunds that were told, each once.
create table billing_refunds (
  id text primary key,
  federation_id text not null references federations (id),
  charge_id text,
  amount bigint not null check (amount >= 0),
  currency text not null,
  created_at timestamptz(3) not null
);
