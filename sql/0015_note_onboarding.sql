-- When a user finished the wizard that greets a new one; null until then. It is finished once, for in it a password is
-- set without the old one.
alter table users add column onboarded_at timestamptz(3);
