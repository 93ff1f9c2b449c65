-- The links of invitations, password resets and proofs of an address.
--
-- Of a link's secret only the hash is kept, and the secret is made when the mail goes out: so no plaintext ever lies in
-- the queue. A mail that must be sent again gets a secret of its own, as the first may have arrived all the same; each
-- of them opens the same row, and using one uses up the row.
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
create index one_time_tokens_by_age on one_time_tokens (expires_at);
