-- Second factors of users, their recovery codes, and sign-ins that wait for a second factor. Secrets of TOTP apps are
-- encrypted with SECRETS_KEY; recovery codes and the secrets of cookies are stored as hashes.
create table factors (
  id text primary key,
  user_id text not null references users (id),
  kind text not null check (kind in ('totp', 'passkey')),
  name text not null check (length(name) between 1 and 100),
  totp_secret text,
  totp_last_step bigint, -- the 30 seconds of the last accepted code, so that a code works once
  created_at timestamptz(3) not null default wheelwright_now(),
  activated_at timestamptz(3), -- null until the user has entered the first code
  last_used_at timestamptz(3),
  check ((kind = 'totp') = (totp_secret is not null))
);
create index factors_of_user on factors (user_id, created_at);

create table recovery_codes (
  user_id text not null references users (id),
  code_hash bytea not null check (length(code_hash) = 32),
  used_at timestamptz(3),
  primary key (user_id, code_hash)
);

create table pending_sign_ins (
  id text primary key,
  user_id text not null references users (id),
  token_hash bytea not null unique check (length(token_hash) = 32),
  method text not null check (method in ('password', 'provider', 'passkey', 'link')),
  ip text not null,
  user_agent text not null,
  failures integer not null default 0,
  created_at timestamptz(3) not null default wheelwright_now(),
  ended_at timestamptz(3)
);
create index pending_sign_ins_open_of_user on pending_sign_ins (user_id) where ended_at is null;
create index pending_sign_ins_by_age on pending_sign_ins (created_at);

-- Wrong codes in a row. Only someone who knows the password can cause them, except with a stolen session.
alter table users add column code_failures integer not null default 0;
alter table users add column code_failed_at timestamptz(3);
