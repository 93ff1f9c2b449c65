-- 0034 has what is read by it. The id, which orders events of one millisecond, is sorted where that is asked.
drop index audit_events_of_federation;
