-- Users, their browser sessions, their API tokens and the links that they receive by mail. Secrets are stored as hashes.
create table users (
  id text primary key,
  email text not null check (email = lower(email)),
  display_name text not null,
  password_hash text,
  operator boolean not null default false,
  email_verified_at timestamptz(3),
  disabled_at timestamptz(3),
  -- When the user finished the onboarding wizard. The wizard sets a password without the old one, so it runs only once.
  onboarded_at timestamptz(3),
  -- Why the mail server of this address permanently refused the last mail. Null after the server accepted a mail.
  mail_refusal text check (length(mail_refusal) <= 500),
  created_at timestamptz(3) not null default wheelwright_now(),
  updated_at timestamptz(3) not null default wheelwright_now()
);
create unique index users_email on users (email);
create index users_newest on users (created_at desc, id desc);

create table sessions (
  id text primary key,
  user_id text not null references users (id),
  token_hash bytea not null unique check (length(token_hash) = 32),
  ip text not null,
  user_agent text not null,
  created_at timestamptz(3) not null default wheelwright_now(),
  last_used_at timestamptz(3) not null default wheelwright_now(),
  ended_at timestamptz(3)
);
create index sessions_live_of_user on sessions (user_id) where ended_at is null;
-- Finds old sessions for pruning. An index on last_used_at would be written with each use of a session.
create index sessions_ended on sessions (ended_at) where ended_at is not null;
create index sessions_by_age on sessions (created_at);

create table api_tokens (
  id text primary key,
  user_id text not null references users (id),
  name text not null,
  scope text not null check (scope in ('cli', 'provisioning', 'readonly')),
  prefix text not null,
  token_hash bytea not null unique check (length(token_hash) = 32),
  created_at timestamptz(3) not null default wheelwright_now(),
  expires_at timestamptz(3),
  last_used_at timestamptz(3),
  revoked_at timestamptz(3)
);
create index api_tokens_of_user on api_tokens (user_id, created_at desc);

-- The number of calls per token, endpoint and day (UTC), with which users of a deprecated endpoint are notified. Replicas
-- update the same rows all day, so pages keep space for updates.
create table token_calls (
  token_id text not null references api_tokens (id) on delete cascade,
  endpoint text not null,
  day date not null,
  calls bigint not null check (calls > 0),
  primary key (token_id, endpoint, day)
) with (fillfactor = 80);
create index token_calls_by_day on token_calls (day);

-- Links for invitations, password resets and address verification. The secret is created when the mail is sent, so it is
-- never stored in the queue. A repeated mail gets another secret for the same row. Each row can be used only once.
create table one_time_tokens (
  id text primary key,
  purpose text not null check (purpose in ('invitation', 'password_reset', 'email_verification')),
  user_id text not null references users (id),
  token_hashes bytea[] not null default '{}',
  created_at timestamptz(3) not null default wheelwright_now(),
  expires_at timestamptz(3) not null,
  used_at timestamptz(3),
  voided_at timestamptz(3),
  check (expires_at > created_at),
  check (used_at is null or voided_at is null)
);
create index one_time_tokens_by_hash on one_time_tokens using gin (token_hashes)
  where used_at is null and voided_at is null;
create index one_time_tokens_open_of_user on one_time_tokens (user_id, purpose, created_at desc)
  where used_at is null and voided_at is null;
-- Includes revoked invitations, to find the time of the last invitation.
create index one_time_tokens_of_user on one_time_tokens (user_id, purpose, created_at desc);
create index one_time_tokens_by_age on one_time_tokens (expires_at);
