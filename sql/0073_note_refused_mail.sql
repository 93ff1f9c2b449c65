-- Why the mail server of a user's address refused the last mail for good, in the server's words; null when it took the last one.
-- Without it an invitation to a mistyped address looks open until it expires.
alter table users
  add column mail_refused text,
  add constraint users_have_a_short_refusal check (length(mail_refused) <= 500) not valid;
