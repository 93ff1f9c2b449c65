-- concurrently
-- Whether a reader skips any history: asked for each list of unread notifications, and true of few rows.
create index concurrently if not exists notification_read_counts_skipping on notification_read_counts (user_id)
  where skip_through > '-infinity';
