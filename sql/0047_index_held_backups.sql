-- concurrently
-- Backups that work under way needs, which retention therefore leaves.
create index concurrently if not exists jobs_holding_backups on jobs ((payload ->> 'backupId'))
  where state in ('queued', 'running') and payload ->> 'backupId' is not null;
