-- What each site last reported about its scheduled and ad hoc tasks and about Moodle's own checks, as usage.php wrote it.
alter table spoke_usage add column task_health jsonb; -- null: the site has not reported it yet
