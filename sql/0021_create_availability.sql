-- Availability: whether each site's login page worked, per minute for two days and per day for two years.

-- The latest result of the requests to each spoke's login page. A row changes only if the result changes.
create table page_checks (
  spoke_id text primary key references spokes (id),
  problem text check (length(problem) <= 500), -- why the login page does not work; null if it works
  -- The host whose public address has answered this control plane at least once. Until then, a failed connection does not
  -- show that the site is down, because the control plane may have no route to the address.
  reached_host text,
  updated_at timestamptz(3) not null default wheelwright_now()
);

-- Sets of minutes: bit N of a column is minute N of the hour. A minute that is in no set is unknown.
create table availability_hours (
  spoke_id text not null references spokes (id),
  hour timestamptz(3) not null,
  up bigint not null,
  down bigint not null,
  planned bigint not null,
  primary key (spoke_id, hour)
) with (fillfactor = 50); -- the rows of the current hour are updated every minute

-- The number of minutes of each kind per day (UTC). A job adds up the current day every few minutes.
create table availability_days (
  spoke_id text not null references spokes (id),
  federation_id text not null references federations (id),
  day date not null,
  up smallint not null,
  down smallint not null,
  planned smallint not null,
  unknown smallint not null,
  primary key (spoke_id, day)
);
create index availability_days_by_day on availability_days (day, federation_id);

-- The sums of all spokes of a hub, so that reading them does not depend on the number of spokes.
create table availability_hub_days (
  federation_id text not null references federations (id),
  day date not null,
  up bigint not null,
  down bigint not null,
  planned bigint not null,
  unknown bigint not null,
  primary key (federation_id, day)
);
create index availability_hub_days_by_day on availability_hub_days (day);
