-- For the operators' list of users, newest first, and for when somebody was invited last, where invitations that were
-- taken back count too.
create index users_newest on users (created_at desc, id desc);
create index one_time_tokens_of_user on one_time_tokens (user_id, purpose, created_at desc);
