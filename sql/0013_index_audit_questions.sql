-- The audit log's filters, each answered by an index in the order in which it is shown, so that a page costs the same
-- however long the log has grown. The id, which only orders events of one millisecond, is left out: it would
-- double the size.
create index audit_events_of_kind on audit_events (kind, at desc);
create index audit_events_of_actor on audit_events (actor_id, at desc);
create index audit_events_of_object_type on audit_events (object_type, at desc);
