-- Templates: pristine installations that new sites are made from in place of one of their own, a pair of snapshots each, for
-- each cluster, version, images, blueprint and storage class there is a need for. `volumes` is as a backup's.
--
--   making --> ready ---+--> retiring --> (no row)   nothing needs it any more; its snapshots go, then its row
--     ^  |       |      |
--     |  v       v      |
--     +- failed <-------+    none could be made, or no site from it; failures says how often, next_try_at when one is next made
--
-- An id is that of one making: who makes a template anew gives the row another.
create table templates (
  id text primary key,
  cluster text not null,
  -- The cluster's identity; '' where it cannot be told, and so for the storage class that the cluster has as its default.
  cluster_uid text not null,
  version text not null,
  moodle_image text not null,
  postgres_image text not null,
  revision text not null,
  storage_class text not null,
  state text not null default 'making' check (state in ('making', 'ready', 'failed', 'retiring')),
  volumes jsonb not null default '[]',
  failures integer not null default 0,
  error text,
  next_try_at timestamptz(3),
  created_at timestamptz(3) not null default wheelwright_now(),
  ready_at timestamptz(3),
  last_used_at timestamptz(3),
  check (state <> 'ready' or ready_at is not null),
  check (state <> 'failed' or (error is not null and next_try_at is not null)),
  constraint templates_one_of_each unique
    (cluster, cluster_uid, version, moodle_image, postgres_image, revision, storage_class)
);

-- The template that a spoke's site was made from, or is being made from; given_up says why that came to nothing, until what
-- was begun is cleared away. A template is retired only when no operation is under way that makes a site from it.
create table template_uses (
  spoke_id text primary key references spokes (id),
  template_id text not null,
  turn text not null,
  given_up text,
  taken_at timestamptz(3) not null default wheelwright_now()
);
create index template_uses_of on template_uses (template_id);
