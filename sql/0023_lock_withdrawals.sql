-- Taking something from a caller waits for what the caller is doing, and what it does next sees that it was taken.
--
-- A request's transactions lock the caller's user and credential, shared, and then look at what the caller may. Here the
-- database locks the same exclusively whenever something is taken away, whoever does it and however: no code can forget it.

create function wheelwright_key(id text) returns bigint language sql immutable
  return hashtextextended('wheelwright: held ' || id, 0);

create function wheelwright_hold(id text) returns void language sql
  as $$ select pg_advisory_xact_lock_shared(wheelwright_key(id)) $$;

-- Of many credentials at once their users are locked in their place: each lock takes room in memory, which is bounded.
create function wheelwright_withdraw(credentials text[], users text[]) returns void language plpgsql as $$
declare
  id text;
begin
  for id in select distinct unnest(case when cardinality(credentials) between 1 and 8 then credentials else users end)
    order by 1 loop
    perform pg_advisory_xact_lock(wheelwright_key(id));
  end loop;
end $$;

create function lock_ended_sessions() returns trigger language plpgsql as $$ begin
  perform wheelwright_withdraw(array_agg(id), array_agg(after.user_id)) from before join after using (id)
    where before.ended_at is null and after.ended_at is not null;
  return null;
end $$;

create function lock_revoked_tokens() returns trigger language plpgsql as $$ begin
  perform wheelwright_withdraw(array_agg(id), array_agg(after.user_id)) from before join after using (id)
    where before.revoked_at is null and after.revoked_at is not null;
  return null;
end $$;

create function lock_narrowed_users() returns trigger language plpgsql as $$ begin
  perform wheelwright_withdraw('{}', array_agg(id)) from before join after using (id)
    where (before.disabled_at is null and after.disabled_at is not null)
      or (before.operator and not after.operator)
      or (before.email_verified_at is not null and after.email_verified_at is null);
  return null;
end $$;

create function lock_vacated_seats() returns trigger language plpgsql as $$ begin
  perform wheelwright_withdraw('{}', array_agg(user_id)) from before;
  return null;
end $$;

create trigger sessions_lock_ended after update on sessions
  referencing old table as before new table as after for each statement execute function lock_ended_sessions();
create trigger api_tokens_lock_revoked after update on api_tokens
  referencing old table as before new table as after for each statement execute function lock_revoked_tokens();
create trigger users_lock_narrowed after update on users
  referencing old table as before new table as after for each statement execute function lock_narrowed_users();
create trigger federation_members_lock_vacated after delete on federation_members
  referencing old table as before for each statement execute function lock_vacated_seats();
create trigger spoke_members_lock_vacated after delete on spoke_members
  referencing old table as before for each statement execute function lock_vacated_seats();
