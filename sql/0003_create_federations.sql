-- Hubs, and who administers them. A removed hub keeps its row: its history refers to it, and its slug is free again.
create table federations (
  id text primary key,
  slug text not null,
  name text not null,
  region text,
  mode text,
  tier text,
  state text not null check (state in ('provisioning', 'active', 'failed', 'removing', 'removed')),
  state_reason text,
  cluster text not null,
  namespace text not null unique,
  namespace_uid text,
  created_by text not null references users (id),
  created_at timestamptz(3) not null default wheelwright_now(),
  updated_at timestamptz(3) not null default wheelwright_now(),
  ready_at timestamptz(3),
  removed_at timestamptz(3),
  check ((state = 'removed') = (removed_at is not null))
);
create unique index federations_one_live_slug on federations (slug) where state <> 'removed';

create table federation_members (
  federation_id text not null references federations (id),
  user_id text not null references users (id),
  created_at timestamptz(3) not null default wheelwright_now(),
  primary key (federation_id, user_id)
);
create index federation_members_of_user on federation_members (user_id);
