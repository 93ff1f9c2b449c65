-- Limits API tokens to hubs, and records from where they are used and when an email about their expiry was queued. The
-- hash of a limited token differs from the hash that earlier releases compute, so that they refuse it instead of granting all.
alter table api_tokens add column federation_ids text[]; -- null: no limit
alter table api_tokens add column last_used_ip text; -- like last_used_at accurate to a minute
alter table api_tokens add column last_used_agent text;
alter table api_tokens add column expiry_mailed_at timestamptz(3); -- when the last email about the expiry was queued
