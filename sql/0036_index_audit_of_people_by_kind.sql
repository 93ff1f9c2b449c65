-- concurrently
-- In place of audit_events_of_actor, as 0034.
create index concurrently if not exists audit_events_of_person on audit_events (actor_id, at desc, kind);
