-- Sign-ins from a terminal that a user approves in a browser. `browser`: the browser returns a code to the terminal on the
-- same machine. `device`: the user types a code from the terminal into a page. Each sign-in creates one API token.
create table terminal_sign_ins (
  id text primary key,
  flow text not null check (flow in ('browser', 'device')),
  state text not null check (state in ('pending', 'approved', 'denied', 'used')),
  secret_hash bytea not null unique check (length(secret_hash) = 32), -- of the code that the terminal redeems
  user_code text check ((user_code is not null) = (flow = 'device')), -- what the user types into the page
  challenge text check ((challenge is not null) = (flow = 'browser')), -- the PKCE challenge, by S256
  port integer check ((port is not null) = (flow = 'browser')), -- where the terminal waits, on 127.0.0.1
  name text not null, -- of the token
  scope text not null check (scope in ('cli', 'provisioning', 'readonly')),
  federation_ids text[], -- of the token; null: no limit
  token_expires_at timestamptz(3),
  ip text not null, -- of the terminal for `device`, else of the browser
  user_agent text not null,
  session_id text references sessions (id) on delete cascade, -- of the user who decided; if it ends, so does the sign-in
  created_at timestamptz(3) not null default wheelwright_now(),
  expires_at timestamptz(3) not null,
  polled_at timestamptz(3) -- when the terminal last asked
);
create unique index terminal_sign_ins_by_user_code on terminal_sign_ins (user_code) where state = 'pending';
create index terminal_sign_ins_by_expiry on terminal_sign_ins (expires_at);
create index terminal_sign_ins_of_session on terminal_sign_ins (session_id);
