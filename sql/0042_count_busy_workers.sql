-- How often all PHP workers of a site were busy, so that requests had to wait. usage.php reports it.
alter table spoke_usage add column workers_busy bigint; -- the site's own total; null: it has not reported any yet
alter table spoke_usage add column workers_busy_at timestamptz(3);
alter table usage_samples add column workers_busy integer not null default 0; -- since the previous sample
