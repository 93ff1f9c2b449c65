-- concurrently
-- Pages of removed spokes. Other spokes have a row in live_spokes.
create index concurrently if not exists spokes_removed on spokes (created_at desc, id desc) where state = 'removed';
