-- What each site last reported about its scheduled and ad hoc tasks and about Moodle's own checks, as usage.php wrote it.
alter table spoke_usage add column task_health jsonb; -- null: the site has not reported it yet

-- When the certificate of the site's public address ends, as the requests for its login page saw it, and the number of
-- days before the end at which users were last warned.
alter table page_checks add column certificate_ends_at timestamptz(3);
alter table page_checks add column certificate_warned_days smallint;
create index page_checks_by_certificate on page_checks (certificate_ends_at) where certificate_ends_at is not null;
