-- Usage of sites: storage, users and courses, which each site reports a few times an hour, and restarts of its containers.

-- What the sweep last read about each spoke.
create table spoke_usage (
  spoke_id text primary key references spokes (id),
  observed_at timestamptz(3) not null,
  measured_at timestamptz(3), -- when the site measured its usage; null if it has not reported anything yet
  files_used bigint, -- bytes
  files_size bigint,
  database_used bigint,
  database_size bigint,
  users integer,
  active_users integer, -- in the last 30 days
  courses integer,
  tasks_at timestamptz(3), -- when the scheduled tasks last succeeded, at most ten minutes too early
  -- The number of restarts of each running pod, and the time of the last container that was killed for its memory. The next
  -- check counts only later ones.
  pod_restarts jsonb not null default '{}',
  oom_killed_at timestamptz(3),
  warned_percent smallint not null default 0 -- the storage percentage of which users were notified
) with (fillfactor = 70);

-- Samples: 48 hours by hour, and two years by day. A bucket has the newest values of its hour or day.
create table usage_samples (
  spoke_id text not null references spokes (id),
  grain text not null check (grain in ('hour', 'day')),
  at timestamptz(3) not null, -- the start of the hour or day (UTC)
  files_used bigint,
  files_size bigint,
  database_used bigint,
  database_size bigint,
  users integer,
  active_users integer,
  courses integer,
  restarts integer not null default 0,
  oom_kills integer not null default 0,
  primary key (spoke_id, grain, at)
);
create index usage_samples_by_age on usage_samples (grain, at);

-- The same for hubs: the sums over the hub's spokes, so that reading a hub's usage does not depend on their number.
create table hub_usage_samples (
  federation_id text not null references federations (id),
  grain text not null check (grain in ('hour', 'day')),
  at timestamptz(3) not null,
  measured_at timestamptz(3) not null, -- when the sums were calculated
  spokes integer not null, -- the number of spokes in the sums
  full_spokes integer not null, -- of these, the spokes that use at least 80% of their storage
  files_used bigint,
  files_size bigint,
  database_used bigint,
  database_size bigint,
  users bigint,
  active_users bigint,
  courses bigint,
  primary key (federation_id, grain, at)
);
create index hub_usage_samples_by_age on hub_usage_samples (grain, at);

-- The larger of the percentages of files and database. Null if unknown.
alter table spokes add column storage_percent smallint;
alter table live_spokes add column storage_percent smallint;

create function list_storage() returns trigger language plpgsql
as $$
begin
  update live_spokes set storage_percent = new.storage_percent where spoke_id = new.id;
  return null;
end $$;
-- Fires after spokes_listed_when_changed, which adds the row of a spoke that was removed before.
create trigger spokes_storage_listed after update of storage_percent, state on spokes for each row
  when (old.storage_percent is distinct from new.storage_percent or old.state = 'removed')
  execute function list_storage();

create index live_spokes_by_storage on live_spokes (storage_percent desc, spoke_id desc) include (federation_id)
  where storage_percent is not null;
