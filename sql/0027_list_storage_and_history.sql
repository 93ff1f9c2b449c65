-- Lists of spokes with at least a given storage percentage, and in the order of storage. Spokes whose usage is unknown are last.
-- Replaces the index by hub with one that has all filters, so that lists over many hubs do not read the rows.
-- accepts contract: programs work without the removed indexes, which the new indexes replace
alter table live_spokes add column storage_rank smallint not null default -1; -- storage_percent, or -1 if it is unknown
update live_spokes set storage_rank = storage_percent where storage_percent is not null;

create or replace function list_storage() returns trigger language plpgsql
as $$
begin
  update live_spokes set storage_percent = new.storage_percent, storage_rank = coalesce(new.storage_percent, -1)
    where spoke_id = new.id;
  return null;
end $$;

create index live_spokes_of_storage on live_spokes (storage_rank, created_at desc, spoke_id desc)
  include (federation_id, last_failed_at);
create index live_spokes_fullest on live_spokes (storage_rank desc, spoke_id desc) include (federation_id);
drop index live_spokes_by_storage;
create index live_spokes_of_hub_blueprint on live_spokes (federation_id, blueprint_revision) include (spoke_id);
create index live_spokes_in_hub on live_spokes (federation_id, created_at desc, spoke_id desc)
  include (state, health, size, lms_version, region, blueprint_revision, storage_rank, last_failed_at);
drop index live_spokes_of_hub;

-- The history of the overview: totals per day (UTC), so that reading 30 days does not depend on the number of operations. They
-- are added up from jobs and samples every few minutes.
create table daily_totals (
  scope text not null, -- the ID of a hub, or 'all'
  day date not null,
  -- install, wait: the number of durations in the bucket `key`; failure: the number of failures with the code `key`;
  -- storage: used bytes of all hubs; added-up: when the day was added up (seconds since the epoch)
  measure text not null check (measure in ('install', 'wait', 'failure', 'storage', 'added-up')),
  key text not null,
  total bigint not null,
  primary key (scope, day, measure, key)
);
create index daily_totals_by_day on daily_totals (day);
