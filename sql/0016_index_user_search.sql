-- concurrently
-- Finds users by a part of the email address or the display name.
create index concurrently if not exists users_search on users using gin (text_grams(lower(email || E'\n' || display_name)));
