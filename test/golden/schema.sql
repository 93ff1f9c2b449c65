create sequence job_fences as bigint;

CREATE OR REPLACE FUNCTION public.add_ready_lane_of_hub()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into ready_lanes (at, lane) values (wheelwright_now(), 'federation:' || new.id);
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.add_ready_lanes()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.state = 'queued' and new.lane is not null then
    insert into ready_lanes (kind, plan, at, lane) values (new.kind, new.plan, new.run_at, new.lane);
  end if;
  -- A cancelled or postponed job may have blocked its lane for replicas that do not know its kind.
  if tg_op = 'UPDATE' and old.state = 'queued' and new.state <> 'running' and old.lane is not null
    and (new.state <> 'queued' or new.run_at > old.run_at) then
    insert into ready_lanes (at, lane) values (old.run_at, old.lane);
  end if;
  if tg_op = 'UPDATE' and old.state = 'running' and new.state <> 'running' then
    -- Uses the run_at of the ended job, so that lanes take turns by the age of their jobs.
    if old.lane is not null then
      insert into ready_lanes (at, lane) values (old.run_at, old.lane);
    end if;
    -- Other operations on the spoke may wait for this operation, in the lane of the spoke or of its hub.
    if old.visible and old.spoke_id is not null then
      insert into ready_lanes (at, lane) select old.run_at, lane
      from unnest(array['spoke:' || old.spoke_id, 'federation:' || old.federation_id]) as lane
      where lane is not null and lane is distinct from old.lane;
    end if;
  end if;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.count_audit_events()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into audit_counts as counted (chain, events)
    select coalesce(federation_id, 'system'), count(*) from written group by 1 order by 1
    on conflict (chain) do update set events = counted.events + excluded.events;
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.count_spoke()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$
;

CREATE OR REPLACE FUNCTION public.end_waits()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update jobs set run_at = wheelwright_now() where state = 'queued' and waits_for = new.id and run_at > wheelwright_now();
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.list_hub()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$
;

CREATE OR REPLACE FUNCTION public.list_spoke()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$
;

CREATE OR REPLACE FUNCTION public.list_storage()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update live_spokes set storage_percent = new.storage_percent, storage_rank = coalesce(new.storage_percent, -1)
    where spoke_id = new.id;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.note_failure()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update spokes set last_failed_at = new.finished_at where id = new.spoke_id;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.pass_turn()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  ended turns;
begin
  delete from turns where job_id = new.id returning * into ended;
  if ended.job_id is null or not ended.granted then
    return null;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('wheelwright: turns in ' || ended.cluster, 0));
  with next as (
    update turns set granted = true
    where job_id = (select job_id from turns where cluster = ended.cluster and not granted order by seq limit 1 for update)
    returning job_id
  )
  insert into ready_lanes (at, lane) select jobs.run_at, jobs.lane from next join jobs on jobs.id = next.job_id
  where jobs.lane is not null;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.refuse_audit_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$ begin raise exception 'audit_events is append-only' using errcode = 'insufficient_privilege'; end $function$
;

CREATE OR REPLACE FUNCTION public.refuse_count_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'UPDATE' and new.chain = old.chain and new.events > old.events then
    return new;
  end if;
  raise exception 'audit_counts only grows' using errcode = 'insufficient_privilege';
end
$function$
;

CREATE OR REPLACE FUNCTION public.refuse_seal_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'UPDATE' and new.chain = old.chain and new.count > old.count and new.last_at >= old.last_at then
    return new;
  end if;
  raise exception 'audit_seals only moves forward' using errcode = 'insufficient_privilege';
end
$function$
;

CREATE OR REPLACE FUNCTION public.search_grams(word text)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$ select case when length(word) <= 3 then array[word] else
  (select array_agg(substr(word, start, 3)) from generate_series(1, length(word) - 2) as start) end $function$
;

CREATE OR REPLACE FUNCTION public.text_grams(content text)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$ select array_agg(substr(content, start, size)) from generate_series(1, length(content)) as start,
  generate_series(1, 3) as size $function$
;

CREATE OR REPLACE FUNCTION public.wheelwright_now()
 RETURNS timestamp with time zone
 LANGUAGE sql
 PARALLEL SAFE
AS $function$ select (clock_timestamp() + coalesce((select shift from clock_shift), interval '0'))::timestamptz(3) $function$
;

create table api_tokens (
  id text not null,
  user_id text not null,
  name text not null,
  scope text not null,
  prefix text not null,
  token_hash bytea not null,
  created_at timestamp(3) with time zone not null default wheelwright_now(),
  expires_at timestamp(3) with time zone,
  last_used_at timestamp(3) with time zone,
  revoked_at timestamp(3) with time zone,
  federation_ids text[],
  last_used_ip text,
  last_used_agent text,
  expiry_mailed_at timestamp(3) with time zone,
  constraint api_tokens_scope_check CHECK ((scope = ANY (ARRAY['cli'::text, 'provisioning'::text, 'readonly'::text]))),
  constraint api_tokens_token_hash_check CHECK ((length(token_hash) = 32)),
  constraint api_tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint api_tokens_pkey PRIMARY KEY (id),
  constraint api_tokens_token_hash_key UNIQUE (token_hash)
);
CREATE INDEX api_tokens_by_expiry ON public.api_tokens USING btree (expires_at, id) WHERE ((revoked_at IS NULL) AND (expires_at IS NOT NULL));
CREATE INDEX api_tokens_of_user ON public.api_tokens USING btree (user_id, created_at DESC);

create table audit_counts (
  chain text not null,
  events bigint not null,
  constraint audit_counts_events_check CHECK ((events > 0)),
  constraint audit_counts_pkey PRIMARY KEY (chain)
);
CREATE TRIGGER audit_counts_no_truncate BEFORE TRUNCATE ON public.audit_counts FOR EACH STATEMENT EXECUTE FUNCTION refuse_count_change();
CREATE TRIGGER audit_counts_only_grow BEFORE DELETE OR UPDATE ON public.audit_counts FOR EACH ROW EXECUTE FUNCTION refuse_count_change();

create table audit_events (
  id text not null,
  kind text not null,
  actor_id text not null,
  actor_email text not null,
  object_type text not null,
  object_id text not null,
  metadata jsonb not null,
  ip text not null,
  user_agent text not null,
  at timestamp(3) with time zone not null,
  federation_id text,
  spoke_id text,
  audience_user_id text,
  customer_visible boolean not null,
  origin_private boolean not null default true,
  constraint audit_events_audience_user_id_fkey FOREIGN KEY (audience_user_id) REFERENCES users(id),
  constraint audit_events_federation_id_fkey FOREIGN KEY (federation_id) REFERENCES federations(id),
  constraint audit_events_spoke_id_fkey FOREIGN KEY (spoke_id) REFERENCES spokes(id),
  constraint audit_events_pkey PRIMARY KEY (id)
);
CREATE INDEX audit_events_newest ON public.audit_events USING btree (at DESC, id DESC);
CREATE INDEX audit_events_of_actor ON public.audit_events USING btree (actor_id, at DESC, kind);
CREATE INDEX audit_events_of_hub ON public.audit_events USING btree (federation_id, at DESC, kind);
CREATE INDEX audit_events_of_kind ON public.audit_events USING btree (kind, at DESC);
CREATE INDEX audit_events_of_object ON public.audit_events USING btree (object_id, at DESC, id DESC);
CREATE INDEX audit_events_of_object_type ON public.audit_events USING btree (object_type, at DESC);
CREATE INDEX audit_events_of_spoke ON public.audit_events USING btree (spoke_id, at DESC, id DESC);
CREATE INDEX audit_events_visible ON public.audit_events USING btree (at DESC) INCLUDE (id) WHERE customer_visible;
CREATE INDEX audit_events_visible_of_federation ON public.audit_events USING btree (federation_id, at DESC) INCLUDE (id) WHERE customer_visible;
CREATE INDEX audit_events_visible_of_spoke ON public.audit_events USING btree (spoke_id, at DESC) INCLUDE (id) WHERE (customer_visible AND (spoke_id IS NOT NULL));
CREATE INDEX audit_events_visible_to_audience ON public.audit_events USING btree (audience_user_id, COALESCE(federation_id, ''::text), COALESCE(spoke_id, ''::text), at DESC) INCLUDE (id) WHERE (customer_visible AND (audience_user_id IS NOT NULL));
CREATE TRIGGER audit_events_append_only BEFORE DELETE OR UPDATE ON public.audit_events FOR EACH ROW EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_events_counted AFTER INSERT ON public.audit_events REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION count_audit_events();
CREATE TRIGGER audit_events_no_truncate BEFORE TRUNCATE ON public.audit_events FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();

create table audit_seals (
  chain text not null,
  count bigint not null default 0,
  head text not null default repeat('0'::text, 64),
  last_at timestamp(3) with time zone not null default '-infinity'::timestamp with time zone,
  last_id text not null default ''::text,
  sealed_at timestamp(3) with time zone not null default wheelwright_now(),
  constraint audit_seals_count_check CHECK ((count >= 0)),
  constraint audit_seals_head_check CHECK ((head ~ '^[0-9a-f]{64}$'::text)),
  constraint audit_seals_pkey PRIMARY KEY (chain)
);
CREATE TRIGGER audit_seals_forward_only BEFORE DELETE OR UPDATE ON public.audit_seals FOR EACH ROW EXECUTE FUNCTION refuse_seal_change();
CREATE TRIGGER audit_seals_no_truncate BEFORE TRUNCATE ON public.audit_seals FOR EACH STATEMENT EXECUTE FUNCTION refuse_seal_change();

create table availability_days (
  spoke_id text not null,
  federation_id text not null,
  day date not null,
  up smallint not null,
  down smallint not null,
  planned smallint not null,
  unknown smallint not null,
  constraint availability_days_federation_id_fkey FOREIGN KEY (federation_id) REFERENCES federations(id),
  constraint availability_days_spoke_id_fkey FOREIGN KEY (spoke_id) REFERENCES spokes(id),
  constraint availability_days_pkey PRIMARY KEY (spoke_id, day)
);
CREATE INDEX availability_days_by_day ON public.availability_days USING btree (day, federation_id);

create table availability_hours (
  spoke_id text not null,
  hour timestamp(3) with time zone not null,
  up bigint not null,
  down bigint not null,
  planned bigint not null,
  constraint availability_hours_spoke_id_fkey FOREIGN KEY (spoke_id) REFERENCES spokes(id),
  constraint availability_hours_pkey PRIMARY KEY (spoke_id, hour)
);

create table availability_hub_days (
  federation_id text not null,
  day date not null,
  up bigint not null,
  down bigint not null,
  planned bigint not null,
  unknown bigint not null,
  constraint availability_hub_days_federation_id_fkey FOREIGN KEY (federation_id) REFERENCES federations(id),
  constraint availability_hub_days_pkey PRIMARY KEY (federation_id, day)
);
CREATE INDEX availability_hub_days_by_day ON public.availability_hub_days USING btree (day);

create table backups (
  id text not null,
  spoke_id text not null,
  federation_id text not null,
  operation_id text not null,
  cluster text not null,
  namespace text not null,
  kind text not null,
  state text not null default 'pending'::text,
  volumes jsonb not null default '[]'::jsonb,
  size_bytes bigint,
  error text,
  failure_reported boolean not null default false,
  lms_version text,
  images jsonb,
  site_identifier text,
  counts jsonb,
  restore_test_id text,
  verified_at timestamp(3) with time zone,
  verification jsonb,
  verification_error text,
  created_at timestamp(3) with time zone not null default wheelwright_now(),
  ready_at timestamp(3) with time zone,
  failed_at timestamp(3) with time zone,
  deleting_since timestamp(3) with time zone,
  deleted_at timestamp(3) with time zone,
  constraint backups_check CHECK (((state <> 'ready'::text) OR (ready_at IS NOT NULL))),
  constraint backups_check1 CHECK (((state <> 'failed'::text) OR (failed_at IS NOT NULL))),
  constraint backups_check2 CHECK (((state = 'deleted'::text) = (deleted_at IS NOT NULL))),
  constraint backups_check3 CHECK (((kind <> 'last'::text) OR (deleting_since IS NULL))),
  constraint backups_check4 CHECK (((verified_at IS NULL) = (verification IS NULL))),
  constraint backups_kind_check CHECK ((kind = ANY (ARRAY['nightly'::text, 'manual'::text, 'upgrade'::text, 'last'::text]))),
  constraint backups_size_bytes_check CHECK ((size_bytes >= 0)),
  constraint backups_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'ready'::text, 'failed'::text, 'deleted'::text]))),
  constraint backups_federation_id_fkey FOREIGN KEY (federation_id) REFERENCES federations(id),
  constraint backups_spoke_id_fkey FOREIGN KEY (spoke_id) REFERENCES spokes(id),
  constraint backups_pkey PRIMARY KEY (id),
  constraint backups_operation_id_key UNIQUE (operation_id)
);
CREATE INDEX backups_failed ON public.backups USING btree (spoke_id, failed_at DESC) WHERE (failed_at IS NOT NULL);
CREATE INDEX backups_not_deleted ON public.backups USING btree (spoke_id, created_at DESC) WHERE (state <> 'deleted'::text);
CREATE INDEX backups_of_spoke ON public.backups USING btree (spoke_id, created_at DESC, id DESC);
CREATE INDEX backups_pending ON public.backups USING btree (operation_id) WHERE (state = 'pending'::text);
CREATE INDEX backups_to_prune ON public.backups USING btree (deleted_at) WHERE ((state = 'deleted'::text) AND (kind = 'nightly'::text) AND (ready_at IS NOT NULL));

create table billing_events (
  id text not null,
  type text not null,
  object_id text,
  customer_id text,
  federation_id text,
  created_at timestamp(3) with time zone not null,
  received_at timestamp(3) with time zone not null default wheelwright_now(),
  handled_at timestamp(3) with time zone,
  constraint billing_events_federation_id_fkey FOREIGN KEY (federation_id) REFERENCES federations(id),
  constraint billing_events_pkey PRIMARY KEY (id)
);
CREATE INDEX billing_events_received ON public.billing_events USING btree (received_at);

create table billing_refunds (
  id text not null,
  federation_id text not null,
  charge_id text,
  amount bigint not null,
  currency text not null,
  created_at timestamp(3) with time zone not null,
  constraint billing_refunds_amount_check CHECK ((amount >= 0)),
  constraint billing_refunds_federation_id_fkey FOREIGN KEY (federation_id) REFERENCES federations(id),
  constraint billing_refunds_pkey PRIMARY KEY (id)
);

create table clock_shift (
  only_row boolean not null default true,
  shift interval not null,
  constraint clock_shift_only_row_check CHECK (only_row),
  constraint clock_shift_pkey PRIMARY KEY (only_row)
);

create table cluster_snapshots (
  cluster text not null,
  classes jsonb,
  error text,
  checked_at timestamp(3) with time zone not null default wheelwright_now(),
  constraint cluster_snapshots_pkey PRIMARY KEY (cluster)
);

create table daily_totals (
  scope text not null,
  day date not null,
  measure text not null,
  key text not null,
  total bigint not null,
  constraint daily_totals_measure_check CHECK ((measure = ANY (ARRAY['install'::text, 'wait'::text, 'failure'::text, 'storage'::text, 'added-up'::text]))),
  constraint daily_totals_pkey PRIMARY KEY (scope, day, measure, key)
);
CREATE INDEX daily_totals_by_day ON public.daily_totals USING btree (day);

create table database_restores (
  restored_at timestamp(3) with time zone not null default wheelwright_now(),
  taken_at timestamp(3) with time zone not null,
  released_at timestamp(3) with time zone,
  constraint database_restores_pkey PRIMARY KEY (restored_at)
);

create table deprecation_announcements (
  notice_id text not null,
  first_announced_at timestamp(3) with time zone not null default wheelwright_now(),
  constraint deprecation_announcements_pkey PRIMARY KEY (notice_id)
);

create table deprecation_notices (
  notice_id text not null,
  user_id text not null,
  notified_at timestamp(3) with time zone not null default wheelwright_now(),
  constraint deprecation_notices_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint deprecation_notices_pkey PRIMARY KEY (notice_id, user_id)
);

create table factors (
  id text not null,
  user_id text not null,
  kind text not null,
  name text not null,
  totp_secret text,
  totp_last_step bigint,
  created_at timestamp(3) with time zone not null default wheelwright_now(),
  activated_at timestamp(3) with time zone,
  last_used_at timestamp(3) with time zone,
  credential_id bytea,
  public_key bytea,
  sign_count bigint,
  constraint factors_check CHECK (((kind = 'totp'::text) = (totp_secret IS NOT NULL))),
  constraint factors_kind_check CHECK ((kind = ANY (ARRAY['totp'::text, 'passkey'::text]))),
  constraint factors_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100))),
  constraint factors_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint factors_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX factors_by_credential ON public.factors USING btree (credential_id);
CREATE INDEX factors_of_user ON public.factors USING btree (user_id, created_at);

create table federation_members (
  federation_id text not null,
  user_id text not null,
  created_at timestamp(3) with time zone not null default wheelwright_now(),
  constraint federation_members_federation_id_fkey FOREIGN KEY (federation_id) REFERENCES federations(id),
  constraint federation_members_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint federation_members_pkey PRIMARY KEY (federation_id, user_id)
);
CREATE INDEX federation_members_of_user ON public.federation_members USING btree (user_id);

create table federation_requests (
  id text not null,
  slug text not null,
  name text not null,
  region text,
  mode text,
  tier text,
  reason text,
  state text not null default 'pending'::text,
  requested_by text not null,
  decided_by text,
  decided_at timestamp(3) with time zone,
  reject_reason text,
  federation_id text,
  created_at timestamp(3) with time zone not null default wheelwright_now(),
  updated_at timestamp(3) with time zone not null default wheelwright_now(),
  constraint federation_requests_check CHECK (((state = 'pending'::text) = (decided_at IS NULL))),
  constraint federation_requests_check1 CHECK (((state = 'pending'::text) = (decided_by IS NULL))),
  constraint federation_requests_check2 CHECK (((state = 'approved'::text) = (federation_id IS NOT NULL))),
  constraint federation_requests_check3 CHECK (((state = 'rejected'::text) = (reject_reason IS NOT NULL))),
  constraint federation_requests_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'approved'::text, 'rejected'::text, 'withdrawn'::text]))),
  constraint federation_requests_decided_by_fkey FOREIGN KEY (decided_by) REFERENCES users(id),
  constraint federation_requests_federation_id_fkey FOREIGN KEY (federation_id) REFERENCES federations(id),
  constraint federation_requests_requested_by_fkey FOREIGN KEY (requested_by) REFERENCES users(id),
  constraint federation_requests_pkey PRIMARY KEY (id),
  constraint federation_requests_federation_id_key UNIQUE (federation_id)
);
CREATE INDEX federation_requests_newest ON public.federation_requests USING btree (created_at DESC, id DESC);
CREATE INDEX federation_requests_of_state ON public.federation_requests USING btree (state, created_at DESC, id DESC);
CREATE INDEX federation_requests_of_user ON public.federation_requests USING btree (requested_by, created_at DESC, id DESC);
CREATE UNIQUE INDEX federation_requests_pending_slug ON public.federation_requests USING btree (slug) WHERE (state = 'pending'::text);

create table federations (
  id text not null,
  slug text not null,
  name text not null,
  region text,
  mode text,
  tier text,
  state text not null,
  state_reason text,
  cluster text not null,
  cluster_uid text,
  namespace text not null,
  namespace_uid text,
  created_by text not null,
  created_at timestamp(3) with time zone not null default wheelwright_now(),
  updated_at timestamp(3) with time zone not null default wheelwright_now(),
  ready_at timestamp(3) with time zone,
  removed_at timestamp(3) with time zone,
  recorded_at timestamp(3) with time zone,
  backup_updated_at timestamp(3) with time zone,
  policy jsonb,
  courses jsonb,
  constraint federations_check CHECK (((state = 'removed'::text) = (removed_at IS NOT NULL))),
  constraint federations_state_check CHECK ((state = ANY (ARRAY['provisioning'::text, 'active'::text, 'failed'::text, 'removing'::text, 'removed'::text]))),
  constraint federations_created_by_fkey FOREIGN KEY (created_by) REFERENCES users(id),
  constraint federations_pkey PRIMARY KEY (id),
  constraint federations_namespace_key UNIQUE (namespace)
);
CREATE UNIQUE INDEX federations_live_slug ON public.federations USING btree (slug) WHERE (state <> 'removed'::text);
CREATE TRIGGER federations_listed_when_added AFTER INSERT ON public.federations FOR EACH ROW EXECUTE FUNCTION list_hub();
CREATE TRIGGER federations_listed_when_changed AFTER UPDATE OF state, created_at, slug, name ON public.federations FOR EACH ROW WHEN (((old.state <> new.state) OR (old.created_at <> new.created_at) OR (old.slug <> new.slug) OR (old.name <> new.name))) EXECUTE FUNCTION list_hub();
CREATE TRIGGER federations_ready_when_active AFTER UPDATE OF state ON public.federations FOR EACH ROW WHEN (((old.state <> new.state) AND (new.state = 'active'::text))) EXECUTE FUNCTION add_ready_lane_of_hub();

create table former_domains (
  domain text not null,
  spoke_id text not null,
  until timestamp(3) with time zone not null,
  constraint former_domains_domain_check CHECK ((domain = lower(domain))),
  constraint former_domains_spoke_id_fkey FOREIGN KEY (spoke_id) REFERENCES spokes(id),
  constraint former_domains_pkey PRIMARY KEY (domain)
);
CREATE INDEX former_domains_by_end ON public.former_domains USING btree (until);
CREATE INDEX former_domains_of_spoke ON public.former_domains USING btree (spoke_id);
CREATE INDEX former_domains_reversed ON public.former_domains USING btree (reverse(domain) COLLATE "C");

create table hub_usage_samples (
  federation_id text not null,
  grain text not null,
  at timestamp(3) with time zone not null,
  measured_at timestamp(3) with time zone not null,
  spokes integer not null,
  full_spokes integer not null,
  files_used bigint,
  files_size bigint,
  database_used bigint,
  database_size bigint,
  users bigint,
  active_users bigint,
  courses bigint,
  constraint hub_usage_samples_grain_check CHECK ((grain = ANY (ARRAY['hour'::text, 'day'::text]))),
  constraint hub_usage_samples_federation_id_fkey FOREIGN KEY (federation_id) REFERENCES federations(id),
  constraint hub_usage_samples_pkey PRIMARY KEY (federation_id, grain, at)
);
CREATE INDEX hub_usage_samples_by_age ON public.hub_usage_samples USING btree (grain, at);

create table idempotency_keys (
  user_id text not null,
  method text not null,
  path text not null,
  key text not null,
  body_hash bytea not null,
  reply jsonb,
  created_at timestamp(3) with time zone not null default wheelwright_now(),
  constraint idempotency_keys_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint idempotency_keys_pkey PRIMARY KEY (user_id, method, path, key)
);
CREATE INDEX idempotency_keys_by_age ON public.idempotency_keys USING btree (created_at);

create table identities (
  id text not null,
  user_id text not null,
  issuer text not null,
  subject text not null,
  provider text not null,
  email text,
  created_at timestamp(3) with time zone not null default wheelwright_now(),
  last_used_at timestamp(3) with time zone not null default wheelwright_now(),
  constraint identities_issuer_check CHECK ((length(issuer) <= 500)),
  constraint identities_subject_check CHECK ((length(subject) <= 255)),
  constraint identities_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint identities_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX identities_by_subject ON public.identities USING btree (issuer, subject);
CREATE UNIQUE INDEX identities_by_user ON public.identities USING btree (user_id, issuer);

create table installation (
  only_row boolean not null default true,
  id text not null,
  key text not null,
  constraint installation_only_row_check CHECK (only_row),
  constraint installation_pkey PRIMARY KEY (only_row)
);

create table jobs (
  id text not null,
  seq bigint not null generated always as identity,
  kind text not null,
  visible boolean not null,
  lane text,
  federation_id text,
  spoke_id text,
  state text not null default 'queued'::text,
  run_at timestamp(3) with time zone not null default wheelwright_now(),
  waits_for text,
  attempt integer not null default 0,
  time_limit_ms bigint not null,
  deadline_at timestamp(3) with time zone,
  fence bigint not null default 0,
  holder text,
  plan integer not null,
  step_names text[] not null,
  finished_steps text[] not null default '{}'::text[],
  step_times jsonb not null default '{}'::jsonb,
  label text not null,
  payload jsonb not null default '{}'::jsonb,
  progress jsonb not null default '{}'::jsonb,
  failure jsonb,
  dedupe_key text,
  cancel_requested_at timestamp(3) with time zone,
  requester_id text not null,
  requester_email text not null,
  requester_ip text not null,
  requester_agent text not null,
  requester_token text,
  trace text,
  created_at timestamp(3) with time zone not null default wheelwright_now(),
  updated_at timestamp(3) with time zone not null default wheelwright_now(),
  started_at timestamp(3) with time zone,
  finished_at timestamp(3) with time zone,
  constraint jobs_check CHECK (((state = 'running'::text) = (holder IS NOT NULL))),
  constraint jobs_check1 CHECK (((state = ANY (ARRAY['succeeded'::text, 'failed'::text, 'cancelled'::text])) = (finished_at IS NOT NULL))),
  constraint jobs_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'running'::text, 'succeeded'::text, 'failed'::text, 'cancelled'::text]))),
  constraint jobs_time_limit_ms_check CHECK ((time_limit_ms > 0)),
  constraint jobs_federation_id_fkey FOREIGN KEY (federation_id) REFERENCES federations(id),
  constraint jobs_holder_fkey FOREIGN KEY (holder) REFERENCES replicas(id),
  constraint jobs_spoke_id_fkey FOREIGN KEY (spoke_id) REFERENCES spokes(id),
  constraint jobs_pkey PRIMARY KEY (id)
);
CREATE INDEX jobs_durations ON public.jobs USING btree (kind, finished_at DESC) WHERE ((state = 'succeeded'::text) AND visible);
CREATE INDEX jobs_finished ON public.jobs USING btree (visible, finished_at) WHERE (finished_at IS NOT NULL);
CREATE INDEX jobs_live_of_spoke ON public.jobs USING btree (spoke_id) WHERE (visible AND (state = ANY (ARRAY['queued'::text, 'running'::text])));
CREATE INDEX jobs_newest ON public.jobs USING btree (created_at DESC, seq DESC) WHERE visible;
CREATE INDEX jobs_of_federation ON public.jobs USING btree (federation_id, created_at DESC, seq DESC) WHERE visible;
CREATE INDEX jobs_of_federation_state ON public.jobs USING btree (federation_id, state, created_at DESC, seq DESC) WHERE visible;
CREATE INDEX jobs_of_holder ON public.jobs USING btree (holder) WHERE (state = 'running'::text);
CREATE INDEX jobs_of_lane ON public.jobs USING btree (lane, seq) WHERE (state = 'queued'::text);
CREATE INDEX jobs_of_spoke ON public.jobs USING btree (spoke_id, created_at DESC, seq DESC) WHERE visible;
CREATE INDEX jobs_of_state ON public.jobs USING btree (state, created_at DESC, seq DESC) WHERE visible;
CREATE UNIQUE INDEX jobs_one_live_per_dedupe_key ON public.jobs USING btree (dedupe_key) WHERE (state = ANY (ARRAY['queued'::text, 'running'::text]));
CREATE UNIQUE INDEX jobs_one_running_operation_per_spoke ON public.jobs USING btree (spoke_id) WHERE ((state = 'running'::text) AND visible);
CREATE UNIQUE INDEX jobs_one_running_per_lane ON public.jobs USING btree (lane) WHERE (state = 'running'::text);
CREATE INDEX jobs_using_backup ON public.jobs USING btree (((payload ->> 'backupId'::text))) WHERE ((state = ANY (ARRAY['queued'::text, 'running'::text])) AND ((payload ->> 'backupId'::text) IS NOT NULL));
CREATE INDEX jobs_waiting ON public.jobs USING btree (waits_for) WHERE ((state = 'queued'::text) AND (waits_for IS NOT NULL));
CREATE INDEX jobs_without_lane ON public.jobs USING btree (run_at, seq) WHERE ((state = 'queued'::text) AND (lane IS NULL));
CREATE TRIGGER jobs_end_waits AFTER UPDATE OF state ON public.jobs FOR EACH ROW WHEN ((new.visible AND (old.state = ANY (ARRAY['queued'::text, 'running'::text])) AND (new.state = ANY (ARRAY['succeeded'::text, 'failed'::text, 'cancelled'::text])))) EXECUTE FUNCTION end_waits();
CREATE TRIGGER jobs_failed AFTER UPDATE OF state ON public.jobs FOR EACH ROW WHEN (((new.state = 'failed'::text) AND (old.state <> 'failed'::text) AND new.visible AND (new.spoke_id IS NOT NULL))) EXECUTE FUNCTION note_failure();
CREATE TRIGGER jobs_pass_turn AFTER UPDATE OF state ON public.jobs FOR EACH ROW WHEN ((new.visible AND (old.state = ANY (ARRAY['queued'::text, 'running'::text])) AND (new.state = ANY (ARRAY['succeeded'::text, 'failed'::text, 'cancelled'::text])))) EXECUTE FUNCTION pass_turn();
CREATE TRIGGER jobs_ready_when_added AFTER INSERT ON public.jobs FOR EACH ROW WHEN (((new.state = 'queued'::text) AND (new.lane IS NOT NULL))) EXECUTE FUNCTION add_ready_lanes();
CREATE TRIGGER jobs_ready_when_changed AFTER UPDATE OF state, run_at ON public.jobs FOR EACH ROW WHEN (((old.state <> new.state) OR (old.run_at <> new.run_at))) EXECUTE FUNCTION add_ready_lanes();

create table libraries (
  federation_id text not null,
  packages jsonb not null default '[]'::jsonb,
  used_bytes bigint,
  free_bytes bigint,
  checked_at timestamp(3) with time zone,
  check_due_at timestamp(3) with time zone not null default wheelwright_now(),
  error text,
  error_code text,
  constraint libraries_check CHECK (((error IS NULL) = (error_code IS NULL))),
  constraint libraries_free_bytes_check CHECK ((free_bytes >= 0)),
  constraint libraries_used_bytes_check CHECK ((used_bytes >= 0)),
  constraint libraries_federation_id_fkey FOREIGN KEY (federation_id) REFERENCES federations(id),
  constraint libraries_pkey PRIMARY KEY (federation_id)
);
CREATE INDEX libraries_due ON public.libraries USING btree (check_due_at);

create table library_backups (
  id text not null,
  federation_id text not null,
  job_id text not null,
  cluster text not null,
  namespace text not null,
  state text not null default 'pending'::text,
  volumes jsonb not null default '[]'::jsonb,
  packages jsonb not null,
  size_bytes bigint,
  error text,
  created_at timestamp(3) with time zone not null default wheelwright_now(),
  ready_at timestamp(3) with time zone,
  failed_at timestamp(3) with time zone,
  deleting_since timestamp(3) with time zone,
  deleted_at timestamp(3) with time zone,
  constraint library_backups_check CHECK (((state <> 'ready'::text) OR (ready_at IS NOT NULL))),
  constraint library_backups_check1 CHECK (((state <> 'failed'::text) OR (failed_at IS NOT NULL))),
  constraint library_backups_check2 CHECK (((state = 'deleted'::text) = (deleted_at IS NOT NULL))),
  constraint library_backups_size_bytes_check CHECK ((size_bytes >= 0)),
  constraint library_backups_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'ready'::text, 'failed'::text, 'deleted'::text]))),
  constraint library_backups_federation_id_fkey FOREIGN KEY (federation_id) REFERENCES federations(id),
  constraint library_backups_pkey PRIMARY KEY (id),
  constraint library_backups_job_id_key UNIQUE (job_id)
);
CREATE INDEX library_backups_not_deleted ON public.library_backups USING btree (federation_id) WHERE (state <> 'deleted'::text);
CREATE INDEX library_backups_of_hub ON public.library_backups USING btree (federation_id, created_at DESC, id DESC);

create table live_hubs (
  federation_id text not null,
  state text not null,
  created_at timestamp(3) with time zone not null,
  content text not null,
  provisioning integer not null default 0,
  active integer not null default 0,
  failed integer not null default 0,
  suspending integer not null default 0,
  suspended integer not null default 0,
  resuming integer not null default 0,
  updating integer not null default 0,
  removing integer not null default 0,
  degraded integer not null default 0,
  unverified integer not null default 0,
  oldest_verified_at timestamp(3) with time zone,
  constraint live_hubs_pkey PRIMARY KEY (federation_id)
);
CREATE INDEX live_hubs_newest ON public.live_hubs USING btree (created_at DESC, federation_id DESC);
CREATE INDEX live_hubs_of_state ON public.live_hubs USING btree (state, created_at DESC, federation_id DESC);
CREATE INDEX live_hubs_search ON public.live_hubs USING gin (text_grams(content));

create table live_spokes (
  spoke_id text not null,
  federation_id text not null,
  slug text not null,
  state text not null,
  health text not null,
  created_at timestamp(3) with time zone not null,
  storage_percent smallint,
  size text,
  lms_version text,
  region text,
  blueprint_revision text,
  last_failed_at timestamp(3) with time zone,
  storage_rank smallint not null default '-1'::integer,
  constraint live_spokes_pkey PRIMARY KEY (spoke_id)
);
CREATE INDEX live_spokes_failed ON public.live_spokes USING btree (last_failed_at DESC, spoke_id DESC) INCLUDE (federation_id) WHERE (last_failed_at IS NOT NULL);
CREATE INDEX live_spokes_fullest ON public.live_spokes USING btree (storage_rank DESC, spoke_id DESC) INCLUDE (federation_id);
CREATE INDEX live_spokes_in_hub ON public.live_spokes USING btree (federation_id, created_at DESC, spoke_id DESC) INCLUDE (state, health, size, lms_version, region, blueprint_revision, storage_rank, last_failed_at);
CREATE INDEX live_spokes_newest ON public.live_spokes USING btree (created_at DESC, spoke_id DESC) INCLUDE (federation_id);
CREATE INDEX live_spokes_of_blueprint ON public.live_spokes USING btree (blueprint_revision, created_at DESC, spoke_id DESC) INCLUDE (federation_id);
CREATE INDEX live_spokes_of_health ON public.live_spokes USING btree (health, created_at DESC, spoke_id DESC) INCLUDE (federation_id, state);
CREATE INDEX live_spokes_of_hub_blueprint ON public.live_spokes USING btree (federation_id, blueprint_revision) INCLUDE (spoke_id);
CREATE INDEX live_spokes_of_region ON public.live_spokes USING btree (region, created_at DESC, spoke_id DESC) INCLUDE (federation_id);
CREATE INDEX live_spokes_of_size ON public.live_spokes USING btree (size, created_at DESC, spoke_id DESC) INCLUDE (federation_id);
CREATE INDEX live_spokes_of_slug ON public.live_spokes USING btree (slug, created_at DESC, spoke_id DESC);
CREATE INDEX live_spokes_of_state ON public.live_spokes USING btree (state, created_at DESC, spoke_id DESC) INCLUDE (federation_id, health);
CREATE INDEX live_spokes_of_storage ON public.live_spokes USING btree (storage_rank, created_at DESC, spoke_id DESC) INCLUDE (federation_id, last_failed_at);
CREATE INDEX live_spokes_of_version ON public.live_spokes USING btree (lms_version, created_at DESC, spoke_id DESC) INCLUDE (federation_id);

create table mapped_roles (
  user_id text not null,
  issuer text not null,
  federation_id text,
  created_at timestamp(3) with time zone not null default wheelwright_now(),
  constraint mapped_roles_federation_id_fkey FOREIGN KEY (federation_id) REFERENCES federations(id),
  constraint mapped_roles_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE UNIQUE INDEX mapped_roles_by_user ON public.mapped_roles USING btree (user_id, federation_id) NULLS NOT DISTINCT;

create table notification_audiences (
  user_id text not null,
  federation_id text not null default ''::text,
  spoke_id text not null default ''::text,
  visible_events bigint not null default 0,
  constraint notification_audiences_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint notification_audiences_pkey PRIMARY KEY (user_id, federation_id, spoke_id)
);

create table notification_read_counts (
  user_id text not null,
  about text not null,
  federation_id text not null default ''::text,
  spoke_id text not null default ''::text,
  reads bigint not null default 0,
  read_through timestamp(3) with time zone not null default '-infinity'::timestamp with time zone,
  skip_through timestamp(3) with time zone not null default '-infinity'::timestamp with time zone,
  constraint notification_read_counts_about_check CHECK ((about = ANY (ARRAY['all'::text, 'service'::text, 'hub'::text, 'spoke'::text, 'audience'::text]))),
  constraint notification_read_counts_check CHECK ((((federation_id <> ''::text) = (about = 'hub'::text)) OR (about = 'audience'::text))),
  constraint notification_read_counts_check1 CHECK ((((spoke_id <> ''::text) = (about = 'spoke'::text)) OR (about = 'audience'::text))),
  constraint notification_read_counts_reads_check CHECK ((reads >= 0)),
  constraint notification_read_counts_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint notification_read_counts_pkey PRIMARY KEY (user_id, about, federation_id, spoke_id)
);
CREATE INDEX notification_read_counts_skipping ON public.notification_read_counts USING btree (user_id) WHERE (skip_through > '-infinity'::timestamp with time zone);

create table notification_read_ranges (
  user_id text not null,
  about text not null,
  federation_id text not null,
  spoke_id text not null,
  from_at timestamp(3) with time zone not null,
  through_at timestamp(3) with time zone not null,
  constraint notification_read_ranges_check CHECK ((from_at < through_at)),
  constraint notification_read_ranges_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint notification_read_ranges_pkey PRIMARY KEY (user_id, about, federation_id, spoke_id, from_at)
);

create table notification_reads (
  user_id text not null,
  event_id text not null,
  read_at timestamp(3) with time zone not null,
  constraint notification_reads_pkey PRIMARY KEY (user_id, event_id)
);

create table one_time_tokens (
  id text not null,
  purpose text not null,
  user_id text not null,
  token_hashes bytea[] not null default '{}'::bytea[],
  created_at timestamp(3) with time zone not null default wheelwright_now(),
  expires_at timestamp(3) with time zone not null,
  used_at timestamp(3) with time zone,
  voided_at timestamp(3) with time zone,
  constraint one_time_tokens_check CHECK ((expires_at > created_at)),
  constraint one_time_tokens_check1 CHECK (((used_at IS NULL) OR (voided_at IS NULL))),
  constraint one_time_tokens_purpose_check CHECK ((purpose = ANY (ARRAY['invitation'::text, 'password_reset'::text, 'email_verification'::text]))),
  constraint one_time_tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint one_time_tokens_pkey PRIMARY KEY (id)
);
CREATE INDEX one_time_tokens_by_age ON public.one_time_tokens USING btree (expires_at);
CREATE INDEX one_time_tokens_by_hash ON public.one_time_tokens USING gin (token_hashes) WHERE ((used_at IS NULL) AND (voided_at IS NULL));
CREATE INDEX one_time_tokens_of_user ON public.one_time_tokens USING btree (user_id, purpose, created_at DESC);
CREATE INDEX one_time_tokens_open_of_user ON public.one_time_tokens USING btree (user_id, purpose, created_at DESC) WHERE ((used_at IS NULL) AND (voided_at IS NULL));

create table page_checks (
  spoke_id text not null,
  problem text,
  reached_host text,
  updated_at timestamp(3) with time zone not null default wheelwright_now(),
  certificate_ends_at timestamp(3) with time zone,
  certificate_warned_days smallint,
  constraint page_checks_problem_check CHECK ((length(problem) <= 500)),
  constraint page_checks_spoke_id_fkey FOREIGN KEY (spoke_id) REFERENCES spokes(id),
  constraint page_checks_pkey PRIMARY KEY (spoke_id)
);
CREATE INDEX page_checks_by_certificate ON public.page_checks USING btree (certificate_ends_at) WHERE (certificate_ends_at IS NOT NULL);

create table passkey_challenges (
  challenge_hash bytea not null,
  purpose text not null,
  binding text not null,
  created_at timestamp(3) with time zone not null default wheelwright_now(),
  constraint passkey_challenges_challenge_hash_check CHECK ((length(challenge_hash) = 32)),
  constraint passkey_challenges_purpose_check CHECK ((purpose = ANY (ARRAY['register'::text, 'sign-in'::text, 'second-factor'::text, 'confirm'::text]))),
  constraint passkey_challenges_pkey PRIMARY KEY (challenge_hash)
);
CREATE INDEX passkey_challenges_by_age ON public.passkey_challenges USING btree (created_at);

create table pending_sign_ins (
  id text not null,
  user_id text not null,
  token_hash bytea not null,
  method text not null,
  ip text not null,
  user_agent text not null,
  failures integer not null default 0,
  created_at timestamp(3) with time zone not null default wheelwright_now(),
  ended_at timestamp(3) with time zone,
  constraint pending_sign_ins_method_check CHECK ((method = ANY (ARRAY['password'::text, 'provider'::text, 'passkey'::text, 'link'::text]))),
  constraint pending_sign_ins_token_hash_check CHECK ((length(token_hash) = 32)),
  constraint pending_sign_ins_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint pending_sign_ins_pkey PRIMARY KEY (id),
  constraint pending_sign_ins_token_hash_key UNIQUE (token_hash)
);
CREATE INDEX pending_sign_ins_by_age ON public.pending_sign_ins USING btree (created_at);
CREATE INDEX pending_sign_ins_open_of_user ON public.pending_sign_ins USING btree (user_id) WHERE (ended_at IS NULL);

create table policy_versions (
  federation_id text not null,
  section text not null,
  version integer not null,
  values jsonb not null,
  overridable text[] not null,
  changed_at timestamp(3) with time zone not null default wheelwright_now(),
  changed_by text not null,
  constraint policy_versions_version_check CHECK ((version >= 1)),
  constraint policy_versions_federation_id_fkey FOREIGN KEY (federation_id) REFERENCES federations(id),
  constraint policy_versions_pkey PRIMARY KEY (federation_id, section, version)
);

create table ready_lanes (
  id bigint not null generated always as identity,
  kind text not null default ''::text,
  plan integer not null default 0,
  at timestamp(3) with time zone not null,
  lane text not null,
  constraint ready_lanes_pkey PRIMARY KEY (kind, plan, at, id)
);

create table recovery_codes (
  user_id text not null,
  code_hash bytea not null,
  used_at timestamp(3) with time zone,
  constraint recovery_codes_code_hash_check CHECK ((length(code_hash) = 32)),
  constraint recovery_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint recovery_codes_pkey PRIMARY KEY (user_id, code_hash)
);

create table replicas (
  id text not null,
  release text not null,
  started_at timestamp(3) with time zone not null default wheelwright_now(),
  heartbeat_at timestamp(3) with time zone not null default wheelwright_now(),
  stopped_at timestamp(3) with time zone,
  constraint replicas_pkey PRIMARY KEY (id)
);

create table restore_requests (
  id text not null,
  federation_id text not null,
  spoke_id text not null,
  backup_id text not null,
  reason text not null,
  state text not null default 'open'::text,
  requested_by text not null,
  decided_by text,
  decided_at timestamp(3) with time zone,
  decline_reason text,
  created_at timestamp(3) with time zone not null default wheelwright_now(),
  updated_at timestamp(3) with time zone not null default wheelwright_now(),
  constraint restore_requests_check CHECK (((state = 'open'::text) = (decided_at IS NULL))),
  constraint restore_requests_check1 CHECK (((state <> 'open'::text) OR (decided_by IS NULL))),
  constraint restore_requests_check2 CHECK (((state = 'declined'::text) = (decline_reason IS NOT NULL))),
  constraint restore_requests_state_check CHECK ((state = ANY (ARRAY['open'::text, 'done'::text, 'declined'::text]))),
  constraint restore_requests_decided_by_fkey FOREIGN KEY (decided_by) REFERENCES users(id),
  constraint restore_requests_federation_id_fkey FOREIGN KEY (federation_id) REFERENCES federations(id),
  constraint restore_requests_requested_by_fkey FOREIGN KEY (requested_by) REFERENCES users(id),
  constraint restore_requests_spoke_id_fkey FOREIGN KEY (spoke_id) REFERENCES spokes(id),
  constraint restore_requests_pkey PRIMARY KEY (id)
);
CREATE INDEX restore_requests_newest ON public.restore_requests USING btree (created_at DESC, id DESC);
CREATE INDEX restore_requests_of_spoke ON public.restore_requests USING btree (spoke_id, created_at DESC, id DESC);
CREATE INDEX restore_requests_of_user ON public.restore_requests USING btree (requested_by, created_at DESC) WHERE (state = 'open'::text);
CREATE UNIQUE INDEX restore_requests_one_open_per_backup ON public.restore_requests USING btree (spoke_id, backup_id) WHERE (state = 'open'::text);

create table retained_pvcs (
  spoke_id text not null,
  claim text not null,
  uid text,
  operation_id text not null,
  reason text not null,
  since timestamp(3) with time zone not null default wheelwright_now(),
  until timestamp(3) with time zone not null,
  deleting_since timestamp(3) with time zone,
  constraint retained_pvcs_check CHECK (((reason <> 'replaced'::text) OR (uid IS NOT NULL))),
  constraint retained_pvcs_reason_check CHECK ((reason = ANY (ARRAY['replaced'::text, 'unused'::text]))),
  constraint retained_pvcs_spoke_id_fkey FOREIGN KEY (spoke_id) REFERENCES spokes(id),
  constraint retained_pvcs_pkey PRIMARY KEY (spoke_id, claim)
);
CREATE INDEX retained_pvcs_by_end ON public.retained_pvcs USING btree (until);

create table rollout_spokes (
  rollout_id text not null,
  spoke_id text not null,
  position integer not null,
  wave integer,
  state text not null,
  operation_id text,
  reason text,
  ended_at timestamp(3) with time zone,
  constraint rollout_spokes_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'running'::text, 'checking'::text, 'succeeded'::text, 'failed'::text, 'skipped'::text]))),
  constraint rollout_spokes_rollout_id_fkey FOREIGN KEY (rollout_id) REFERENCES rollouts(id),
  constraint rollout_spokes_spoke_id_fkey FOREIGN KEY (spoke_id) REFERENCES spokes(id),
  constraint rollout_spokes_pkey PRIMARY KEY (rollout_id, spoke_id)
);

create table rollouts (
  id text not null,
  state text not null default 'running'::text,
  action text not null,
  parameters jsonb not null,
  canary_spokes integer not null,
  canary_minutes integer not null,
  batch text not null,
  max_unavailable integer not null,
  max_failures integer not null,
  time_window jsonb,
  federation_ids text[] not null,
  note text,
  reason text,
  requested_by text not null,
  created_at timestamp(3) with time zone not null default wheelwright_now(),
  updated_at timestamp(3) with time zone not null default wheelwright_now(),
  finished_at timestamp(3) with time zone,
  constraint rollouts_canary_minutes_check CHECK ((canary_minutes >= 0)),
  constraint rollouts_canary_spokes_check CHECK ((canary_spokes >= 0)),
  constraint rollouts_check CHECK (((state = ANY (ARRAY['completed'::text, 'aborted'::text])) = (finished_at IS NOT NULL))),
  constraint rollouts_max_failures_check CHECK ((max_failures >= 1)),
  constraint rollouts_max_unavailable_check CHECK ((max_unavailable >= 1)),
  constraint rollouts_state_check CHECK ((state = ANY (ARRAY['running'::text, 'paused'::text, 'completed'::text, 'aborted'::text]))),
  constraint rollouts_requested_by_fkey FOREIGN KEY (requested_by) REFERENCES users(id),
  constraint rollouts_pkey PRIMARY KEY (id)
);
CREATE INDEX rollouts_by_time ON public.rollouts USING btree (created_at DESC, id DESC);

create table service_event_head (
  only_row boolean not null default true,
  visible_events bigint not null default 0,
  last_at timestamp(3) with time zone not null default '-infinity'::timestamp with time zone,
  constraint service_event_head_only_row_check CHECK (only_row),
  constraint service_event_head_pkey PRIMARY KEY (only_row)
);

create table sessions (
  id text not null,
  user_id text not null,
  token_hash bytea not null,
  ip text not null,
  user_agent text not null,
  created_at timestamp(3) with time zone not null default wheelwright_now(),
  last_used_at timestamp(3) with time zone not null default wheelwright_now(),
  ended_at timestamp(3) with time zone,
  provider text,
  confirmed_at timestamp(3) with time zone,
  method text not null default 'password'::text,
  constraint sessions_method CHECK ((method = ANY (ARRAY['password'::text, 'provider'::text, 'passkey'::text, 'link'::text]))) NOT VALID,
  constraint sessions_token_hash_check CHECK ((length(token_hash) = 32)),
  constraint sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint sessions_pkey PRIMARY KEY (id),
  constraint sessions_token_hash_key UNIQUE (token_hash)
);
CREATE INDEX sessions_by_age ON public.sessions USING btree (created_at);
CREATE INDEX sessions_ended ON public.sessions USING btree (ended_at) WHERE (ended_at IS NOT NULL);
CREATE INDEX sessions_live_of_user ON public.sessions USING btree (user_id) WHERE (ended_at IS NULL);

create table sign_in_requests (
  state_hash bytea not null,
  browser_hash bytea not null,
  provider text not null,
  next_path text not null,
  invitation_id text,
  created_at timestamp(3) with time zone not null default wheelwright_now(),
  constraint sign_in_requests_browser_hash_check CHECK ((length(browser_hash) = 32)),
  constraint sign_in_requests_state_hash_check CHECK ((length(state_hash) = 32)),
  constraint sign_in_requests_invitation_id_fkey FOREIGN KEY (invitation_id) REFERENCES one_time_tokens(id) ON DELETE CASCADE,
  constraint sign_in_requests_pkey PRIMARY KEY (state_hash)
);
CREATE INDEX sign_in_requests_by_age ON public.sign_in_requests USING btree (created_at);

create table spoke_addons (
  spoke_id text not null,
  component text not null,
  version double precision not null,
  enabled boolean not null,
  federation_id text not null,
  created_at timestamp(3) with time zone not null,
  constraint spoke_addons_spoke_id_fkey FOREIGN KEY (spoke_id) REFERENCES live_spokes(spoke_id) ON DELETE CASCADE,
  constraint spoke_addons_pkey PRIMARY KEY (spoke_id, component)
);
CREATE INDEX spoke_addons_newest ON public.spoke_addons USING btree (component, created_at DESC, spoke_id DESC);
CREATE INDEX spoke_addons_of_hub ON public.spoke_addons USING btree (federation_id, component, created_at DESC, spoke_id DESC);

create table spoke_members (
  spoke_id text not null,
  user_id text not null,
  created_at timestamp(3) with time zone not null default wheelwright_now(),
  constraint spoke_members_spoke_id_fkey FOREIGN KEY (spoke_id) REFERENCES spokes(id),
  constraint spoke_members_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint spoke_members_pkey PRIMARY KEY (spoke_id, user_id)
);
CREATE INDEX spoke_members_of_user ON public.spoke_members USING btree (user_id);

create table spoke_texts (
  spoke_id text not null,
  federation_id text not null,
  created_at timestamp(3) with time zone not null,
  content text not null,
  constraint spoke_texts_pkey PRIMARY KEY (spoke_id)
);
CREATE INDEX spoke_texts_newest ON public.spoke_texts USING btree (created_at DESC, spoke_id DESC);
CREATE INDEX spoke_texts_search ON public.spoke_texts USING gin (text_grams(content));

create table spoke_usage (
  spoke_id text not null,
  observed_at timestamp(3) with time zone not null,
  measured_at timestamp(3) with time zone,
  files_used bigint,
  files_size bigint,
  database_used bigint,
  database_size bigint,
  users integer,
  active_users integer,
  courses integer,
  tasks_at timestamp(3) with time zone,
  pod_restarts jsonb not null default '{}'::jsonb,
  oom_killed_at timestamp(3) with time zone,
  warned_percent smallint not null default 0,
  task_health jsonb,
  addons_at timestamp(3) with time zone,
  addon_count integer,
  workers_busy bigint,
  workers_busy_at timestamp(3) with time zone,
  constraint spoke_usage_spoke_id_fkey FOREIGN KEY (spoke_id) REFERENCES spokes(id),
  constraint spoke_usage_pkey PRIMARY KEY (spoke_id)
);

create table spokes (
  id text not null,
  federation_id text not null,
  slug text not null,
  display_name text not null,
  domain text not null,
  requested_domain text,
  size text not null,
  identity boolean not null default false,
  content boolean not null default false,
  content_mode text,
  brand text,
  admin_email text not null,
  region text,
  lms_version text not null,
  seed text,
  from_backup text,
  copy_of text,
  mail text not null default 'on'::text,
  state text not null,
  state_reason text,
  maintenance boolean not null default false,
  health text not null default 'unknown'::text,
  failed_checks smallint not null default 0,
  drift jsonb,
  cluster text not null,
  cluster_uid text,
  namespace text not null,
  namespace_uid text,
  blueprint_revision text not null,
  blueprint_inputs jsonb not null,
  site_identifier text,
  image_digest text,
  backup_due_at timestamp(3) with time zone,
  restore_test_due_at timestamp(3) with time zone,
  verified_at timestamp(3) with time zone,
  unverified_since timestamp(3) with time zone,
  visible_events bigint not null default 0,
  created_by text not null,
  created_at timestamp(3) with time zone not null default wheelwright_now(),
  updated_at timestamp(3) with time zone not null default wheelwright_now(),
  ready_at timestamp(3) with time zone,
  observed_at timestamp(3) with time zone,
  removed_at timestamp(3) with time zone,
  recorded_at timestamp(3) with time zone,
  backup_updated_at timestamp(3) with time zone,
  storage_percent smallint,
  last_failed_at timestamp(3) with time zone,
  policy jsonb,
  constraint spokes_check CHECK (((state = 'removed'::text) = (removed_at IS NOT NULL))),
  constraint spokes_domain_check CHECK ((domain = lower(domain))),
  constraint spokes_health_check CHECK ((health = ANY (ARRAY['healthy'::text, 'degraded'::text, 'unknown'::text]))),
  constraint spokes_image_digest_check CHECK ((length(image_digest) <= 400)),
  constraint spokes_mail_check CHECK ((mail = ANY (ARRAY['on'::text, 'held'::text]))),
  constraint spokes_requested_domain_check CHECK ((requested_domain = lower(requested_domain))),
  constraint spokes_state_check CHECK ((state = ANY (ARRAY['provisioning'::text, 'active'::text, 'failed'::text, 'suspending'::text, 'suspended'::text, 'resuming'::text, 'updating'::text, 'removing'::text, 'removed'::text]))),
  constraint spokes_copy_of_fkey FOREIGN KEY (copy_of) REFERENCES spokes(id),
  constraint spokes_created_by_fkey FOREIGN KEY (created_by) REFERENCES users(id),
  constraint spokes_federation_id_fkey FOREIGN KEY (federation_id) REFERENCES federations(id),
  constraint spokes_pkey PRIMARY KEY (id),
  constraint spokes_counted_when_added TRIGGER DEFERRABLE INITIALLY DEFERRED,
  constraint spokes_counted_when_changed TRIGGER DEFERRABLE INITIALLY DEFERRED,
  constraint spokes_namespace_key UNIQUE (namespace)
);
CREATE INDEX spokes_creating_from_backup ON public.spokes USING btree (from_backup) WHERE ((from_backup IS NOT NULL) AND (ready_at IS NULL) AND (state <> 'removed'::text));
CREATE INDEX spokes_due_for_backup ON public.spokes USING btree (cluster, backup_due_at) WHERE (state = 'active'::text);
CREATE INDEX spokes_due_for_restore_test ON public.spokes USING btree (cluster, restore_test_due_at) WHERE (state = 'active'::text);
CREATE UNIQUE INDEX spokes_live_domain ON public.spokes USING btree (domain) WHERE (state <> 'removed'::text);
CREATE UNIQUE INDEX spokes_live_slug ON public.spokes USING btree (federation_id, slug) WHERE (state <> 'removed'::text);
CREATE INDEX spokes_of_federation ON public.spokes USING btree (federation_id, created_at DESC, id DESC);
CREATE INDEX spokes_removed ON public.spokes USING btree (created_at DESC, id DESC) WHERE (state = 'removed'::text);
CREATE UNIQUE INDEX spokes_requested_domain ON public.spokes USING btree (requested_domain) WHERE (state <> 'removed'::text);
CREATE INDEX spokes_reversed_domain ON public.spokes USING btree (reverse(domain) COLLATE "C") WHERE (state <> 'removed'::text);
CREATE INDEX spokes_reversed_requested_domain ON public.spokes USING btree (reverse(requested_domain) COLLATE "C") WHERE ((state <> 'removed'::text) AND (requested_domain IS NOT NULL));
CREATE CONSTRAINT TRIGGER spokes_counted_when_added AFTER INSERT ON public.spokes DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION count_spoke();
CREATE CONSTRAINT TRIGGER spokes_counted_when_changed AFTER UPDATE OF state, health, verified_at, unverified_since ON public.spokes DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((((old.state IS DISTINCT FROM new.state) OR (old.health IS DISTINCT FROM new.health)) OR (old.verified_at IS DISTINCT FROM new.verified_at)) OR (old.unverified_since IS DISTINCT FROM new.unverified_since))) EXECUTE FUNCTION count_spoke();
CREATE TRIGGER spokes_listed_when_added AFTER INSERT ON public.spokes FOR EACH ROW EXECUTE FUNCTION list_spoke();
CREATE TRIGGER spokes_listed_when_changed AFTER UPDATE OF state, health, created_at, slug, display_name, domain ON public.spokes FOR EACH ROW WHEN (((old.state <> new.state) OR (old.health <> new.health) OR (old.created_at <> new.created_at) OR (old.slug <> new.slug) OR (old.display_name <> new.display_name) OR (old.domain <> new.domain))) EXECUTE FUNCTION list_spoke();
CREATE TRIGGER spokes_listed_when_updated AFTER UPDATE OF size, lms_version, region, blueprint_revision, last_failed_at ON public.spokes FOR EACH ROW WHEN (((((((old.size IS DISTINCT FROM new.size) OR (old.lms_version IS DISTINCT FROM new.lms_version)) OR (old.region IS DISTINCT FROM new.region)) OR (old.blueprint_revision IS DISTINCT FROM new.blueprint_revision)) OR (old.last_failed_at IS DISTINCT FROM new.last_failed_at)) AND ((old.state = new.state) AND (old.health = new.health) AND (old.created_at = new.created_at) AND (old.slug = new.slug) AND (old.display_name = new.display_name) AND (old.domain = new.domain)))) EXECUTE FUNCTION list_spoke();
CREATE TRIGGER spokes_storage_listed AFTER UPDATE OF storage_percent, state ON public.spokes FOR EACH ROW WHEN (((old.storage_percent IS DISTINCT FROM new.storage_percent) OR (old.state = 'removed'::text))) EXECUTE FUNCTION list_storage();

create table stream_events (
  federation_id text not null,
  number bigint not null,
  type text not null,
  at timestamp(3) with time zone not null,
  spoke_id text,
  data jsonb not null,
  constraint stream_events_number_check CHECK ((number > 0)),
  constraint stream_events_federation_id_fkey FOREIGN KEY (federation_id) REFERENCES federations(id),
  constraint stream_events_spoke_id_fkey FOREIGN KEY (spoke_id) REFERENCES spokes(id),
  constraint stream_events_pkey PRIMARY KEY (federation_id, number)
);
CREATE INDEX stream_events_by_age ON public.stream_events USING btree (at);
CREATE INDEX stream_events_latest_of_hub ON public.stream_events USING btree (federation_id, number DESC) WHERE (spoke_id IS NULL);
CREATE INDEX stream_events_latest_of_spoke ON public.stream_events USING btree (spoke_id, number DESC);

create table stream_heads (
  federation_id text not null,
  number bigint not null default 0,
  last_at timestamp(3) with time zone not null default wheelwright_now(),
  visible_events bigint not null default 0,
  pruned_through bigint not null default 0,
  constraint stream_heads_federation_id_fkey FOREIGN KEY (federation_id) REFERENCES federations(id),
  constraint stream_heads_pkey PRIMARY KEY (federation_id)
);

create table subscriptions (
  federation_id text not null,
  email text not null,
  customer_id text,
  subscription_id text,
  status text,
  currency text,
  sent_quantities jsonb,
  items jsonb not null default '[]'::jsonb,
  invoice jsonb,
  difference jsonb,
  past_due_since timestamp(3) with time zone,
  error text,
  retry_at timestamp(3) with time zone,
  checked_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default wheelwright_now(),
  updated_at timestamp(3) with time zone not null default wheelwright_now(),
  constraint subscriptions_check CHECK (((subscription_id IS NULL) OR (customer_id IS NOT NULL))),
  constraint subscriptions_check1 CHECK (((status IS NULL) = (subscription_id IS NULL))),
  constraint subscriptions_status_check CHECK ((status = ANY (ARRAY['incomplete'::text, 'incomplete_expired'::text, 'trialing'::text, 'active'::text, 'past_due'::text, 'canceled'::text, 'unpaid'::text, 'paused'::text]))),
  constraint subscriptions_federation_id_fkey FOREIGN KEY (federation_id) REFERENCES federations(id),
  constraint subscriptions_pkey PRIMARY KEY (federation_id),
  constraint subscriptions_customer_id_key UNIQUE (customer_id),
  constraint subscriptions_subscription_id_key UNIQUE (subscription_id)
);

create table template_uses (
  spoke_id text not null,
  template_id text not null,
  adoption_id text not null,
  fallback_reason text,
  started_at timestamp(3) with time zone not null default wheelwright_now(),
  constraint template_uses_spoke_id_fkey FOREIGN KEY (spoke_id) REFERENCES spokes(id),
  constraint template_uses_pkey PRIMARY KEY (spoke_id)
);
CREATE INDEX template_uses_of_template ON public.template_uses USING btree (template_id);

create table templates (
  id text not null,
  cluster text not null,
  cluster_uid text not null,
  version text not null,
  moodle_image text not null,
  postgres_image text not null,
  revision text not null,
  storage_class text not null,
  state text not null default 'creating'::text,
  volumes jsonb not null default '[]'::jsonb,
  failures integer not null default 0,
  error text,
  next_attempt_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default wheelwright_now(),
  ready_at timestamp(3) with time zone,
  last_used_at timestamp(3) with time zone,
  constraint templates_check CHECK (((state <> 'ready'::text) OR (ready_at IS NOT NULL))),
  constraint templates_check1 CHECK (((state <> 'failed'::text) OR ((error IS NOT NULL) AND (next_attempt_at IS NOT NULL)))),
  constraint templates_state_check CHECK ((state = ANY (ARRAY['creating'::text, 'ready'::text, 'failed'::text, 'retiring'::text]))),
  constraint templates_pkey PRIMARY KEY (id),
  constraint templates_one_of_each UNIQUE (cluster, cluster_uid, version, moodle_image, postgres_image, revision, storage_class)
);

create table terminal_sign_ins (
  id text not null,
  flow text not null,
  state text not null,
  secret_hash bytea not null,
  user_code text,
  challenge text,
  port integer,
  name text not null,
  scope text not null,
  federation_ids text[],
  token_expires_at timestamp(3) with time zone,
  ip text not null,
  user_agent text not null,
  session_id text,
  created_at timestamp(3) with time zone not null default wheelwright_now(),
  expires_at timestamp(3) with time zone not null,
  polled_at timestamp(3) with time zone,
  constraint terminal_sign_ins_check CHECK (((user_code IS NOT NULL) = (flow = 'device'::text))),
  constraint terminal_sign_ins_check1 CHECK (((challenge IS NOT NULL) = (flow = 'browser'::text))),
  constraint terminal_sign_ins_check2 CHECK (((port IS NOT NULL) = (flow = 'browser'::text))),
  constraint terminal_sign_ins_flow_check CHECK ((flow = ANY (ARRAY['browser'::text, 'device'::text]))),
  constraint terminal_sign_ins_scope_check CHECK ((scope = ANY (ARRAY['cli'::text, 'provisioning'::text, 'readonly'::text]))),
  constraint terminal_sign_ins_secret_hash_check CHECK ((length(secret_hash) = 32)),
  constraint terminal_sign_ins_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'approved'::text, 'denied'::text, 'used'::text]))),
  constraint terminal_sign_ins_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE,
  constraint terminal_sign_ins_pkey PRIMARY KEY (id),
  constraint terminal_sign_ins_secret_hash_key UNIQUE (secret_hash)
);
CREATE INDEX terminal_sign_ins_by_expiry ON public.terminal_sign_ins USING btree (expires_at);
CREATE UNIQUE INDEX terminal_sign_ins_by_user_code ON public.terminal_sign_ins USING btree (user_code) WHERE (state = 'pending'::text);
CREATE INDEX terminal_sign_ins_of_session ON public.terminal_sign_ins USING btree (session_id);

create table token_calls (
  token_id text not null,
  endpoint text not null,
  day date not null,
  calls bigint not null,
  constraint token_calls_calls_check CHECK ((calls > 0)),
  constraint token_calls_token_id_fkey FOREIGN KEY (token_id) REFERENCES api_tokens(id) ON DELETE CASCADE,
  constraint token_calls_pkey PRIMARY KEY (token_id, endpoint, day)
);
CREATE INDEX token_calls_by_day ON public.token_calls USING btree (day);

create table turns (
  job_id text not null,
  spoke_id text not null,
  cluster text not null,
  seq bigint not null,
  granted boolean not null,
  constraint turns_job_id_fkey FOREIGN KEY (job_id) REFERENCES jobs(id) ON DELETE CASCADE,
  constraint turns_pkey PRIMARY KEY (job_id)
);
CREATE INDEX turns_of_clusters ON public.turns USING btree (cluster, granted, seq);
CREATE INDEX turns_of_spokes ON public.turns USING btree (spoke_id, seq) WHERE (NOT granted);

create table usage_samples (
  spoke_id text not null,
  grain text not null,
  at timestamp(3) with time zone not null,
  files_used bigint,
  files_size bigint,
  database_used bigint,
  database_size bigint,
  users integer,
  active_users integer,
  courses integer,
  restarts integer not null default 0,
  oom_kills integer not null default 0,
  workers_busy integer not null default 0,
  constraint usage_samples_grain_check CHECK ((grain = ANY (ARRAY['hour'::text, 'day'::text]))),
  constraint usage_samples_spoke_id_fkey FOREIGN KEY (spoke_id) REFERENCES spokes(id),
  constraint usage_samples_pkey PRIMARY KEY (spoke_id, grain, at)
);
CREATE INDEX usage_samples_by_age ON public.usage_samples USING btree (grain, at);

create table users (
  id text not null,
  email text not null,
  display_name text not null,
  password_hash text,
  operator boolean not null default false,
  email_verified_at timestamp(3) with time zone,
  disabled_at timestamp(3) with time zone,
  onboarded_at timestamp(3) with time zone,
  mail_refusal text,
  created_at timestamp(3) with time zone not null default wheelwright_now(),
  updated_at timestamp(3) with time zone not null default wheelwright_now(),
  code_failures integer not null default 0,
  code_failed_at timestamp(3) with time zone,
  constraint users_email_check CHECK ((email = lower(email))),
  constraint users_mail_refusal_check CHECK ((length(mail_refusal) <= 500)),
  constraint users_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX users_email ON public.users USING btree (email);
CREATE INDEX users_newest ON public.users USING btree (created_at DESC, id DESC);
CREATE INDEX users_of_few_kinds ON public.users USING btree (created_at DESC, id DESC) WHERE (operator OR (email_verified_at IS NULL) OR (disabled_at IS NOT NULL));
CREATE INDEX users_search ON public.users USING gin (text_grams(lower(((email || '
'::text) || display_name))));

create table webhook_cursors (
  webhook_id text not null,
  federation_id text not null,
  number bigint not null,
  attempt integer not null default 0,
  failing_since timestamp(3) with time zone,
  retry_at timestamp(3) with time zone,
  constraint webhook_cursors_federation_id_fkey FOREIGN KEY (federation_id) REFERENCES federations(id),
  constraint webhook_cursors_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES webhooks(id) ON DELETE CASCADE,
  constraint webhook_cursors_pkey PRIMARY KEY (webhook_id, federation_id)
);
CREATE INDEX webhook_cursors_by_hub ON public.webhook_cursors USING btree (federation_id);

create table webhook_deliveries (
  id text not null,
  webhook_id text not null,
  federation_id text,
  number bigint,
  trigger text not null,
  message_id text not null,
  type text not null,
  body text not null,
  attempt integer not null,
  status integer,
  answer text not null,
  error text,
  duration_ms integer not null,
  created_at timestamp(3) with time zone not null default wheelwright_now(),
  constraint webhook_deliveries_trigger_check CHECK ((trigger = ANY (ARRAY['event'::text, 'test'::text, 'redelivery'::text]))),
  constraint webhook_deliveries_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES webhooks(id) ON DELETE CASCADE,
  constraint webhook_deliveries_pkey PRIMARY KEY (id)
);
CREATE INDEX webhook_deliveries_by_time ON public.webhook_deliveries USING btree (webhook_id, created_at DESC, id DESC);

create table webhooks (
  id text not null,
  federation_id text,
  url text not null,
  event_types text[] not null default '{}'::text[],
  description text not null default ''::text,
  secret text not null,
  former_secret text,
  former_secret_ends_at timestamp(3) with time zone,
  state text not null default 'active'::text,
  disabled_reason text,
  created_by text not null,
  created_at timestamp(3) with time zone not null default wheelwright_now(),
  updated_at timestamp(3) with time zone not null default wheelwright_now(),
  constraint webhooks_check CHECK (((former_secret IS NULL) = (former_secret_ends_at IS NULL))),
  constraint webhooks_state_check CHECK ((state = ANY (ARRAY['active'::text, 'disabled'::text]))),
  constraint webhooks_created_by_fkey FOREIGN KEY (created_by) REFERENCES users(id),
  constraint webhooks_federation_id_fkey FOREIGN KEY (federation_id) REFERENCES federations(id),
  constraint webhooks_pkey PRIMARY KEY (id)
);
CREATE INDEX webhooks_by_hub ON public.webhooks USING btree (federation_id, created_at DESC, id DESC);
