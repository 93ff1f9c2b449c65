-- Hubs (the API calls them federations), their admins, and requests for new hubs. The row of a removed hub is
-- kept as history; the slug can be used again.
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
  -- The UID of the namespace kube-system in the cluster where the hub's namespace was created. Another cluster under the same
  -- name responds with 404 for a namespace that still exists in the first cluster. Such a namespace does not count as removed.
  cluster_uid text,
  namespace text not null unique,
  namespace_uid text,
  created_by text not null references users (id),
  created_at timestamptz(3) not null default wheelwright_now(),
  updated_at timestamptz(3) not null default wheelwright_now(),
  ready_at timestamptz(3),
  removed_at timestamptz(3),
  -- The updated_at of the site record (a ConfigMap) in the hub's namespace.
  recorded_at timestamptz(3),
  -- The updated_at in the backup from which this database was restored. Null unless the database is held (runs no jobs).
  -- Requests during the hold change updated_at, but do not make the row newer than the cluster.
  backup_updated_at timestamptz(3),
  check ((state = 'removed') = (removed_at is not null))
);
create unique index federations_live_slug on federations (slug) where state <> 'removed';

create table federation_members (
  federation_id text not null references federations (id),
  user_id text not null references users (id),
  created_at timestamptz(3) not null default wheelwright_now(),
  primary key (federation_id, user_id)
);
create index federation_members_of_user on federation_members (user_id);

-- Requests for hubs, from users with a verified email address. An operator approves or rejects a request. The requested values
-- never change, although the operator may create the hub under another name.
--
--              approve        approved
--   pending ------------+---> rejected
--              reject   |
--              withdraw +---> withdrawn   (usually by the requester)
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
create unique index federation_requests_pending_slug on federation_requests (slug) where state = 'pending';
create index federation_requests_newest on federation_requests (created_at desc, id desc);
create index federation_requests_of_user on federation_requests (requested_by, created_at desc, id desc);
create index federation_requests_of_state on federation_requests (state, created_at desc, id desc);
