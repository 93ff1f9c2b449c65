-- Requests for hubs: anybody with a proven address asks, an operator decides. A row stays as it was asked; what became
-- of it stands beside that, and the hub that was made of it, which the operator may have named otherwise.
--
--              approve        approved
--   pending ------------+---> rejected
--              reject   |
--              withdraw +---> withdrawn   (by who asked, as a rule)
create table federation_requests (
  id text primary key,
  slug text not null,
  name text not null,
  region text,
  mode text,
  tier text,
  reason text,
  state text not null default 'pending' check (state in ('pending', 'approved', 'rejected', 'withdrawn')),
  requested_by text not null references users (id),
  decided_by text references users (id),
  decided_at timestamptz(3),
  reject_reason text,
  federation_id text unique references federations (id),
  created_at timestamptz(3) not null default wheelwright_now(),
  updated_at timestamptz(3) not null default wheelwright_now(),
  check ((state = 'pending') = (decided_at is null)),
  check ((state = 'pending') = (decided_by is null)),
  check ((state = 'approved') = (federation_id is not null)),
  check ((state = 'rejected') = (reject_reason is not null))
);
create unique index federation_requests_one_pending_per_slug on federation_requests (slug) where state = 'pending';
create index federation_requests_newest on federation_requests (created_at desc, id desc);
create index federation_requests_of_user on federation_requests (requested_by, created_at desc, id desc);
create index federation_requests_of_state on federation_requests (state, created_at desc, id desc);
