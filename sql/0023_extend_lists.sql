-- Lists of spokes by version, size, region and blueprint, and by the time of the last failed operation. The tables and triggers
-- for lists are from 0015_create_live_lists.sql.
alter table spokes add column last_failed_at timestamptz(3); -- when an operation on the spoke last failed

-- The job's transaction has locked the spoke's row before (lib/scheduler/subject.ts).
create function note_failure() returns trigger language plpgsql
as $$
begin
  update spokes set last_failed_at = new.finished_at where id = new.spoke_id;
  return null;
end $$;
create trigger jobs_failed after update of state on jobs for each row
  when (new.state = 'failed' and old.state <> 'failed' and new.visible and new.spoke_id is not null)
  execute function note_failure();

alter table live_spokes add column size text, add column lms_version text, add column region text,
  add column blueprint_revision text, add column last_failed_at timestamptz(3);

create or replace function list_spoke() returns trigger language plpgsql
as $$
declare new_content text := lower(new.slug || E'\n' || new.display_name || E'\n' || new.domain);
begin
  if new.state = 'removed' then
    delete from live_spokes where spoke_id = new.id;
    delete from spoke_texts where spoke_id = new.id;
  elsif tg_op = 'INSERT' or old.state = 'removed' then
    insert into live_spokes (spoke_id, federation_id, slug, state, health, created_at, size, lms_version, region,
        blueprint_revision, last_failed_at)
      values (new.id, new.federation_id, new.slug, new.state, new.health, new.created_at, new.size, new.lms_version, new.region,
        new.blueprint_revision, new.last_failed_at);
    insert into spoke_texts (spoke_id, federation_id, created_at, content)
      values (new.id, new.federation_id, new.created_at, new_content);
  else
    update live_spokes set slug = new.slug, state = new.state, health = new.health, created_at = new.created_at, size = new.size,
        lms_version = new.lms_version, region = new.region, blueprint_revision = new.blueprint_revision,
        last_failed_at = new.last_failed_at
      where spoke_id = new.id;
    if (new.slug, new.display_name, new.domain, new.created_at) <> (old.slug, old.display_name, old.domain, old.created_at) then
      update spoke_texts set content = new_content, created_at = new.created_at where spoke_id = new.id;
    end if;
  end if;
  return null;
end $$;
-- Fires only if the trigger spokes_listed_when_changed does not.
create trigger spokes_listed_when_updated after update of size, lms_version, region, blueprint_revision, last_failed_at on spokes
  for each row when (
    (old.size, old.lms_version, old.region, old.blueprint_revision, old.last_failed_at)
      is distinct from (new.size, new.lms_version, new.region, new.blueprint_revision, new.last_failed_at)
    and (old.state, old.health, old.created_at, old.slug, old.display_name, old.domain)
      = (new.state, new.health, new.created_at, new.slug, new.display_name, new.domain))
  execute function list_spoke();

-- accepts rows: older releases list no spoke by these values, and the rows are few and short
update spokes set last_failed_at = (
  select max(finished_at) from jobs where spoke_id = spokes.id and visible and jobs.state = 'failed'
) where exists (select from jobs where spoke_id = spokes.id and visible and jobs.state = 'failed');
update live_spokes set size = spokes.size, lms_version = spokes.lms_version, region = spokes.region,
    blueprint_revision = spokes.blueprint_revision, last_failed_at = spokes.last_failed_at
  from spokes where spokes.id = spoke_id;

create index live_spokes_of_version on live_spokes (lms_version, created_at desc, spoke_id desc) include (federation_id);
create index live_spokes_of_size on live_spokes (size, created_at desc, spoke_id desc) include (federation_id);
create index live_spokes_of_region on live_spokes (region, created_at desc, spoke_id desc) include (federation_id);
create index live_spokes_of_blueprint on live_spokes (blueprint_revision, created_at desc, spoke_id desc) include (federation_id);
create index live_spokes_failed on live_spokes (last_failed_at desc, spoke_id desc) include (federation_id)
  where last_failed_at is not null;
