-- concurrently
create index concurrently if not exists spokes_due_for_drill on spokes (cluster, drill_due_at) where state = 'active';
