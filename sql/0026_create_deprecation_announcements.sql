-- When this deployment first announced each thing. A release may be put into service long after the day that it declares, and
-- the 30 days that are promised count from the first start of a program that announces it.
create table deprecation_announcements (
  notice_id text primary key,
  first_at timestamptz(3) not null default wheelwright_now()
);
