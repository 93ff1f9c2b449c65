-- concurrently
-- Lists of users with a role or state that few users have: operators, invited, unverified and disabled users.
create index concurrently if not exists users_of_few_kinds on users (created_at desc, id desc)
  where operator or email_verified_at is null or disabled_at is not null;
