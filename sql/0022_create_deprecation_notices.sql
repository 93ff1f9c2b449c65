-- Who was told of what is announced. The row is written in the transaction that queues the mail, so each is told once,
-- however many replicas tell.
create table deprecation_notices (
  notice_id text not null,
  user_id text not null references users (id),
  told_at timestamptz(3) not null default wheelwright_now(),
  primary key (notice_id, user_id)
);
