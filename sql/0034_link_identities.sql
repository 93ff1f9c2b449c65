-- Accounts at OpenID Connect providers with which users sign in, sign-ins in progress, and the roles that a provider's
-- groups gave. A role that a person gave has no row in mapped_roles, so a provider never removes it.
create table identities (
  id text primary key,
  user_id text not null references users (id),
  issuer text not null check (length(issuer) <= 500),
  subject text not null check (length(subject) <= 255),
  provider text not null, -- its id in the file when the user last signed in with this identity
  email text, -- as the provider reported it at the last sign-in; only for display
  created_at timestamptz(3) not null default wheelwright_now(),
  last_used_at timestamptz(3) not null default wheelwright_now()
);
create unique index identities_by_subject on identities (issuer, subject);
-- Prevents a second person with a reused address from joining the account.
create unique index identities_by_user on identities (user_id, issuer);

-- Sign-ins that browsers have started. A row is deleted when the provider's answer arrives, so each answer counts once.
create table sign_in_requests (
  state_hash bytea primary key check (length(state_hash) = 32),
  browser_hash bytea not null check (length(browser_hash) = 32),
  provider text not null,
  next_path text not null,
  invitation_id text references one_time_tokens (id) on delete cascade, -- the invitation to accept
  created_at timestamptz(3) not null default wheelwright_now()
);
create index sign_in_requests_by_age on sign_in_requests (created_at);

create table mapped_roles (
  user_id text not null references users (id),
  issuer text not null,
  federation_id text references federations (id), -- null: the role of an operator
  created_at timestamptz(3) not null default wheelwright_now()
);
create unique index mapped_roles_by_user on mapped_roles (user_id, federation_id) nulls not distinct;

-- The ID of the provider at which the session began; null for a session that began here.
alter table sessions add column provider text;
