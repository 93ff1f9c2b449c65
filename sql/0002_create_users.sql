-- Who may act: people, their browser sessions and their API tokens. Of a secret only its hash is kept.
create table users (
  id text primary key,
  email text not null check (email = lower(email)),
  display_name text not null,
  password_hash text,
  operator boolean not null default false,
  email_verified_at timestamptz(3),
  disabled_at timestamptz(3),
  created_at timestamptz(3) not null default wheelwright_now(),
  updated_at timestamptz(3) not null default wheelwright_now()
);
create unique index users_one_per_email on users (email);

create table sessions (
  id text primary key,
  user_id text not null references users (id),
  token_hash bytea not null unique check (length(token_hash) = 32),
  ip text not null,
  user_agent text not null,
  created_at timestamptz(3) not null default wheelwright_now(),
  seen_at timestamptz(3) not null default wheelwright_now(),
  ended_at timestamptz(3)
);
create index sessions_live_of_user on sessions (user_id) where ended_at is null;

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
