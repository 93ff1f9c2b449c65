-- concurrently
-- In place of audit_events_of_federation: a page of one kind is found in the index alone.
create index concurrently if not exists audit_events_of_hub on audit_events (federation_id, at desc, kind);
