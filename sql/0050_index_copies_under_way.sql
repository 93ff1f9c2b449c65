-- concurrently
-- Spokes that are still to be made from a backup, which retention therefore leaves.
create index concurrently if not exists spokes_to_be_made_from on spokes (from_backup)
  where from_backup is not null and ready_at is null and state <> 'removed';
