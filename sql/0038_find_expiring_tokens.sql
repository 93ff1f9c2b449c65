-- concurrently
-- Finds tokens whose owners get an email about the expiry.
create index concurrently if not exists api_tokens_by_expiry on api_tokens (expires_at, id) where revoked_at is null and expires_at is not null;
