-- concurrently
-- Nightly backups that were good and have had their time, by age: for pruning.
create index concurrently if not exists backups_pruned_by_age on backups (deleted_at)
  where state = 'deleted' and kind = 'nightly' and ready_at is not null;
