-- Passkeys (WebAuthn) as second factors and as sign-in without a password. A challenge works once, within 5 minutes,
-- and only for the session, pending sign-in or browser that requested it. Challenges are stored as hashes.
alter table factors add column credential_id bytea; -- null until the passkey is registered
alter table factors add column public_key bytea; -- SubjectPublicKeyInfo in DER
alter table factors add column sign_count bigint;
create unique index factors_by_credential on factors (credential_id);

create table passkey_challenges (
  challenge_hash bytea primary key check (length(challenge_hash) = 32),
  purpose text not null check (purpose in ('register', 'sign-in', 'second-factor', 'confirm')),
  binding text not null,
  created_at timestamptz(3) not null default wheelwright_now()
);
create index passkey_challenges_by_age on passkey_challenges (created_at);
