-- Templates: pristine installations, stored as two snapshots, from which new sites are created. One template exists for each
-- combination of cluster, version, images, blueprint and storage class in use. `volumes` has the same format as in backups.
--
--   creating --> ready ---+--> retiring --> (row deleted)   not needed any more
--     ^  |         |      |
--     |  v         v      |
--     +- failed <---------+    creating it failed, or creating a site from it; next_attempt_at is the time of the next attempt
--
-- A template that is created again gets a new id.
create table templates (
  id text primary key,
  cluster text not null,
  cluster_uid text not null, -- '' if it cannot be read
  version text not null,
  moodle_image text not null,
  postgres_image text not null,
  revision text not null, -- of the blueprint
  storage_class text not null, -- '' for the cluster's default
  state text not null default 'creating' check (state in ('creating', 'ready', 'failed', 'retiring')),
  volumes jsonb not null default '[]',
  failures integer not null default 0,
  error text,
  next_attempt_at timestamptz(3),
  created_at timestamptz(3) not null default wheelwright_now(),
  ready_at timestamptz(3),
  last_used_at timestamptz(3),
  check (state <> 'ready' or ready_at is not null),
  check (state <> 'failed' or (error is not null and next_attempt_at is not null)),
  constraint templates_one_of_each unique (cluster, cluster_uid, version, moodle_image, postgres_image, revision, storage_class)
);

-- The template from which a spoke's site is or was created. fallback_reason says why the site is installed instead. The row
-- is kept until all objects from the template are deleted. A template in use is not retired.
create table template_uses (
  spoke_id text primary key references spokes (id),
  template_id text not null,
  adoption_id text not null, -- part of the names of the objects that this use creates
  fallback_reason text,
  started_at timestamptz(3) not null default wheelwright_now()
);
create index template_uses_of_template on template_uses (template_id);
