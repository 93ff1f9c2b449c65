-- Whether a site is in maintenance because somebody asked for that: then its login page answers 503, its scheduled tasks
-- are paused, and what looks at it must not take either for a failure.
alter table spokes add column maintenance boolean not null default false;
