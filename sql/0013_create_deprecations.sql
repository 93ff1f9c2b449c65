-- When this installation first announced each deprecation. The promised notice of 30 days begins when a release that
-- announces the deprecation first starts, because a release may be installed long after its date.
create table deprecation_announcements (
  notice_id text primary key,
  first_announced_at timestamptz(3) not null default wheelwright_now()
);

-- Users who were notified of a deprecation. The transaction that queues the mail writes the row, so each user gets one mail.
create table deprecation_notices (
  notice_id text not null,
  user_id text not null references users (id),
  notified_at timestamptz(3) not null default wheelwright_now(),
  primary key (notice_id, user_id)
);
