-- 0036 has what is read by it.
drop index audit_events_of_actor;
