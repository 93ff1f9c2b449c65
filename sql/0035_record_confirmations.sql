-- When and how the user of a session last proved their identity. Dangerous actions require a recent proof.
alter table sessions add column confirmed_at timestamptz(3); -- null: only at the sign-in, at created_at
alter table sessions add column method text not null default 'password';
alter table sessions add constraint sessions_method check (method in ('password', 'provider', 'passkey', 'link'))
  not valid;
