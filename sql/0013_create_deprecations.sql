-- When this installation first announced each deprecation. A release may be installed long after its date, and the promised
-- 30 days begin with the first start of a program that announces the deprecation.
create table deprecation_announcements (
  notice_id text primary key,
  first_announced_at timestamptz(3) not null default wheelwright_now()
);

-- Who was notified. The transaction that queues the mail writes the row, so each user gets one mail.
create table deprecation_notices (
  notice_id text not null,
  user_id text not null references users (id),
  notified_at timestamptz(3) not null default wheelwright_now(),
  primary key (notice_id, user_id)
);
