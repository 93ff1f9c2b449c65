-- Tables from which lists, searches and counts of hubs and spokes are read. The cost of a page must not depend on the number of
-- spokes. An index on spokes would not help enough: each sweep updates the rows of all active spokes, so an index-only scan
-- reads the rows as well, and one row of spokes takes the space of ten rows here.
--
-- Triggers maintain the tables, so that every release and every manual statement does. Removed hubs and spokes have no rows.

-- Returns all parts of a text that are one to three characters long. A text that contains a word contains all parts of the word.
create function text_grams(content text) returns text[] language sql immutable strict parallel safe
as $$ select array_agg(substr(content, start, size)) from generate_series(1, length(content)) as start,
  generate_series(1, 3) as size $$;

-- Returns the parts of `word` that a text must have to contain `word`.
create function search_grams(word text) returns text[] language sql immutable strict parallel safe
as $$ select case when length(word) <= 3 then array[word] else
  (select array_agg(substr(word, start, 3)) from generate_series(1, length(word) - 2) as start) end $$;

create table live_hubs (
  federation_id text primary key,
  state text not null,
  created_at timestamptz(3) not null,
  content text not null, -- the slug and the name, in lower case
  -- The number of the hub's spokes in each state.
  provisioning integer not null default 0,
  active integer not null default 0,
  failed integer not null default 0,
  suspending integer not null default 0,
  suspended integer not null default 0,
  resuming integer not null default 0,
  updating integer not null default 0,
  removing integer not null default 0,
  -- The number of active spokes that are degraded, or whose last restore test failed, and the earliest verified_at of active spokes.
  degraded integer not null default 0,
  unverified integer not null default 0,
  oldest_verified_at timestamptz(3)
) with (fillfactor = 70); -- changes of the counts then add no entries to indexes

create table live_spokes (
  spoke_id text primary key,
  federation_id text not null,
  slug text not null,
  state text not null,
  health text not null,
  created_at timestamptz(3) not null
);

-- The searchable text of each spoke. A separate table, because a change of the state would add all parts to the index again.
create table spoke_texts (
  spoke_id text primary key,
  federation_id text not null,
  created_at timestamptz(3) not null,
  content text not null -- the slug, the display name and the domain, in lower case
);

create function list_hub() returns trigger language plpgsql
as $$
begin
  if new.state = 'removed' then
    delete from live_hubs where federation_id = new.id;
  else
    insert into live_hubs (federation_id, state, created_at, content)
      values (new.id, new.state, new.created_at, lower(new.slug || E'\n' || new.name))
      on conflict (federation_id) do update
        set state = excluded.state, created_at = excluded.created_at, content = excluded.content;
  end if;
  return null;
end $$;
create trigger federations_listed_when_added after insert on federations for each row execute function list_hub();
create trigger federations_listed_when_changed after update of state, created_at, slug, name on federations
  for each row when ((old.state, old.created_at, old.slug, old.name) <> (new.state, new.created_at, new.slug, new.name))
  execute function list_hub();

create function list_spoke() returns trigger language plpgsql
as $$
declare new_content text := lower(new.slug || E'\n' || new.display_name || E'\n' || new.domain);
begin
  if new.state = 'removed' then
    delete from live_spokes where spoke_id = new.id;
    delete from spoke_texts where spoke_id = new.id;
  elsif tg_op = 'INSERT' or old.state = 'removed' then
    insert into live_spokes (spoke_id, federation_id, slug, state, health, created_at)
      values (new.id, new.federation_id, new.slug, new.state, new.health, new.created_at);
    insert into spoke_texts (spoke_id, federation_id, created_at, content)
      values (new.id, new.federation_id, new.created_at, new_content);
  else
    update live_spokes set slug = new.slug, state = new.state, health = new.health, created_at = new.created_at
      where spoke_id = new.id;
    if (new.slug, new.display_name, new.domain, new.created_at) <> (old.slug, old.display_name, old.domain, old.created_at) then
      update spoke_texts set content = new_content, created_at = new.created_at where spoke_id = new.id;
    end if;
  end if;
  return null;
end $$;
create trigger spokes_listed_when_added after insert on spokes for each row execute function list_spoke();
create trigger spokes_listed_when_changed after update of state, health, created_at, slug, display_name, domain on spokes
  for each row when ((old.state, old.health, old.created_at, old.slug, old.display_name, old.domain)
    <> (new.state, new.health, new.created_at, new.slug, new.display_name, new.domain))
  execute function list_spoke();

-- Runs at the commit, after the lock of the hub's row in stream_heads, so that changes in one hub wait only there.
create function count_spoke() returns trigger language plpgsql
as $$
begin
  perform from live_hubs where federation_id = new.federation_id for no key update; -- the next statement sees all earlier changes
  update live_hubs set
    provisioning = provisioning + (new.state = 'provisioning')::integer - coalesce((old.state = 'provisioning')::integer, 0),
    active = active + (new.state = 'active')::integer - coalesce((old.state = 'active')::integer, 0),
    failed = failed + (new.state = 'failed')::integer - coalesce((old.state = 'failed')::integer, 0),
    suspending = suspending + (new.state = 'suspending')::integer - coalesce((old.state = 'suspending')::integer, 0),
    suspended = suspended + (new.state = 'suspended')::integer - coalesce((old.state = 'suspended')::integer, 0),
    resuming = resuming + (new.state = 'resuming')::integer - coalesce((old.state = 'resuming')::integer, 0),
    updating = updating + (new.state = 'updating')::integer - coalesce((old.state = 'updating')::integer, 0),
    removing = removing + (new.state = 'removing')::integer - coalesce((old.state = 'removing')::integer, 0),
    degraded = degraded + (new.state = 'active' and new.health = 'degraded')::integer
      - coalesce((old.state = 'active' and old.health = 'degraded')::integer, 0),
    unverified = unverified + (new.state = 'active' and new.unverified_since is not null)::integer
      - coalesce((old.state = 'active' and old.unverified_since is not null)::integer, 0),
    oldest_verified_at = case when old.state = 'active' and old.verified_at <= oldest_verified_at
      then (select min(verified_at) from spokes where federation_id = new.federation_id and state = 'active')
      else least(oldest_verified_at, case when new.state = 'active' then new.verified_at end) end
  where federation_id = new.federation_id;
  return null;
end $$;
create constraint trigger spokes_counted_when_added after insert on spokes deferrable initially deferred
  for each row execute function count_spoke();
create constraint trigger spokes_counted_when_changed after update of state, health, verified_at, unverified_since on spokes
  deferrable initially deferred
  for each row when ((old.state, old.health, old.verified_at, old.unverified_since)
    is distinct from (new.state, new.health, new.verified_at, new.unverified_since))
  execute function count_spoke();

insert into live_spokes (spoke_id, federation_id, slug, state, health, created_at)
  select id, federation_id, slug, state, health, created_at from spokes where state <> 'removed' order by created_at, id;
insert into spoke_texts (spoke_id, federation_id, created_at, content)
  select id, federation_id, created_at, lower(slug || E'\n' || display_name || E'\n' || domain)
  from spokes where state <> 'removed' order by created_at, id;
insert into live_hubs (federation_id, state, created_at, content, provisioning, active, failed, suspending, suspended, resuming,
    updating, removing, degraded, unverified, oldest_verified_at)
  select hub.id, hub.state, hub.created_at, lower(hub.slug || E'\n' || hub.name),
    count(*) filter (where spoke.state = 'provisioning'), count(*) filter (where spoke.state = 'active'),
    count(*) filter (where spoke.state = 'failed'), count(*) filter (where spoke.state = 'suspending'),
    count(*) filter (where spoke.state = 'suspended'), count(*) filter (where spoke.state = 'resuming'),
    count(*) filter (where spoke.state = 'updating'), count(*) filter (where spoke.state = 'removing'),
    count(*) filter (where spoke.state = 'active' and spoke.health = 'degraded'),
    count(*) filter (where spoke.state = 'active' and spoke.unverified_since is not null),
    min(spoke.verified_at) filter (where spoke.state = 'active')
  from federations as hub left join spokes as spoke on spoke.federation_id = hub.id
  where hub.state <> 'removed' group by hub.id order by hub.created_at, hub.id;

-- Pages of hubs: of all hubs, by state, and by part of the slug or name.
create index live_hubs_newest on live_hubs (created_at desc, federation_id desc);
create index live_hubs_of_state on live_hubs (state, created_at desc, federation_id desc);
create index live_hubs_search on live_hubs using gin (text_grams(content));
-- Pages of spokes in all hubs: all, by state, by health, and by slug.
create index live_spokes_newest on live_spokes (created_at desc, spoke_id desc) include (federation_id);
create index live_spokes_of_state on live_spokes (state, created_at desc, spoke_id desc) include (federation_id, health);
create index live_spokes_of_health on live_spokes (health, created_at desc, spoke_id desc) include (federation_id, state);
create index live_spokes_of_slug on live_spokes (slug, created_at desc, spoke_id desc);
-- Pages of spokes for users with several hubs: a page per hub.
create index live_spokes_of_hub on live_spokes (federation_id, created_at desc, spoke_id desc) include (state, health);
-- Searches: frequent texts are found among the newest spokes, and rare texts by their parts.
create index spoke_texts_newest on spoke_texts (created_at desc, spoke_id desc);
create index spoke_texts_search on spoke_texts using gin (text_grams(content));
