/** Written by `npm run generate`; commit it, do not edit it. */
import type { Migration } from "#lib/drivers/db/compare-schema.ts";

export const migrations: readonly Migration[] = [
  [
    "0001_create_clock",
    `\
-- Every timestamp that the service writes or compares comes from wheelwright_now(), so replicas with different clocks agree.
-- A test can move the time with a row in clock_shift, which is empty in production. The precision is one millisecond, as in
-- the API: with a finer precision, pages that are sorted by time would skip rows.
create table clock_shift (
  only_row boolean primary key default true check (only_row),
  shift interval not null
);

create function wheelwright_now() returns timestamptz(3)
language sql volatile parallel safe
as $$ select (clock_timestamp() + coalesce((select shift from clock_shift), interval '0'))::timestamptz(3) $$;
`,
  ],
  [
    "0002_create_users",
    `\
-- Users, their browser sessions, their API tokens and the links that they receive by mail. Secrets are stored as hashes.
create table users (
  id text primary key,
  email text not null check (email = lower(email)),
  display_name text not null,
  password_hash text,
  operator boolean not null default false,
  email_verified_at timestamptz(3),
  disabled_at timestamptz(3),
  -- When the user finished the onboarding wizard. The wizard sets a password without the old one, so it runs only once.
  onboarded_at timestamptz(3),
  -- Why the mail server of this address permanently refused the last mail. Null after the server accepted a mail.
  mail_refusal text check (length(mail_refusal) <= 500),
  created_at timestamptz(3) not null default wheelwright_now(),
  updated_at timestamptz(3) not null default wheelwright_now()
);
create unique index users_email on users (email);
create index users_newest on users (created_at desc, id desc);

create table sessions (
  id text primary key,
  user_id text not null references users (id),
  token_hash bytea not null unique check (length(token_hash) = 32),
  ip text not null,
  user_agent text not null,
  created_at timestamptz(3) not null default wheelwright_now(),
  last_used_at timestamptz(3) not null default wheelwright_now(),
  ended_at timestamptz(3)
);
create index sessions_live_of_user on sessions (user_id) where ended_at is null;
-- Finds old sessions for pruning. An index on last_used_at would be written with each use of a session.
create index sessions_ended on sessions (ended_at) where ended_at is not null;
create index sessions_by_age on sessions (created_at);

create table api_tokens (
  id text primary key,
  user_id text not null references users (id),
  name text not null,
  scope text not null check (scope in ('cli', 'provisioning', 'readonly')),
  prefix text not null,
  token_hash bytea not null unique check (length(token_hash) = 32),
  created_at timestamptz(3) not null default wheelwright_now(),
  expires_at timestamptz(3),
  last_used_at timestamptz(3),
  revoked_at timestamptz(3)
);
create index api_tokens_of_user on api_tokens (user_id, created_at desc);

-- The number of calls per token, endpoint and day (UTC), with which users of a deprecated endpoint are notified. Replicas
-- update the same rows all day, so pages keep space for updates.
create table token_calls (
  token_id text not null references api_tokens (id) on delete cascade,
  endpoint text not null,
  day date not null,
  calls bigint not null check (calls > 0),
  primary key (token_id, endpoint, day)
) with (fillfactor = 80);
create index token_calls_by_day on token_calls (day);

-- Links for invitations, password resets and address verification. The secret is created when the mail is sent, so it is
-- never stored in the queue. A repeated mail gets another secret for the same row. Each row can be used only once.
create table one_time_tokens (
  id text primary key,
  purpose text not null check (purpose in ('invitation', 'password_reset', 'email_verification')),
  user_id text not null references users (id),
  token_hashes bytea[] not null default '{}',
  created_at timestamptz(3) not null default wheelwright_now(),
  expires_at timestamptz(3) not null,
  used_at timestamptz(3),
  voided_at timestamptz(3),
  check (expires_at > created_at),
  check (used_at is null or voided_at is null)
);
create index one_time_tokens_by_hash on one_time_tokens using gin (token_hashes)
  where used_at is null and voided_at is null;
create index one_time_tokens_open_of_user on one_time_tokens (user_id, purpose, created_at desc)
  where used_at is null and voided_at is null;
-- Includes revoked invitations, to find the time of the last invitation.
create index one_time_tokens_of_user on one_time_tokens (user_id, purpose, created_at desc);
create index one_time_tokens_by_age on one_time_tokens (expires_at);
`,
  ],
  [
    "0003_create_hubs",
    `\
-- Hubs (the API calls them federations), their admins, and requests for new hubs. The row of a removed hub is
-- kept as history; the slug can be used again.
create table federations (
  id text primary key,
  slug text not null,
  name text not null,
  region text,
  mode text,
  tier text,
  state text not null check (state in ('provisioning', 'active', 'failed', 'removing', 'removed')),
  state_reason text,
  cluster text not null,
  -- The UID of the namespace kube-system in the cluster where the hub's namespace was created. Another cluster under the same
  -- name responds with 404 for a namespace that still exists in the first cluster. Such a namespace does not count as removed.
  cluster_uid text,
  namespace text not null unique,
  namespace_uid text,
  created_by text not null references users (id),
  created_at timestamptz(3) not null default wheelwright_now(),
  updated_at timestamptz(3) not null default wheelwright_now(),
  ready_at timestamptz(3),
  removed_at timestamptz(3),
  -- The updated_at of the site record (a ConfigMap) in the hub's namespace.
  recorded_at timestamptz(3),
  -- The updated_at in the backup from which this database was restored. Null unless the database is held (runs no jobs).
  -- Requests during the hold change updated_at, but do not make the row newer than the cluster.
  backup_updated_at timestamptz(3),
  check ((state = 'removed') = (removed_at is not null))
);
create unique index federations_live_slug on federations (slug) where state <> 'removed';

create table federation_members (
  federation_id text not null references federations (id),
  user_id text not null references users (id),
  created_at timestamptz(3) not null default wheelwright_now(),
  primary key (federation_id, user_id)
);
create index federation_members_of_user on federation_members (user_id);

-- Requests for hubs, from users with a verified email address. An operator approves or rejects a request. The requested values
-- never change, although the operator may create the hub under another name.
--
--              approve        approved
--   pending ------------+---> rejected
--              reject   |
--              withdraw +---> withdrawn   (usually by the requester)
create table federation_requests (
  id text primary key,
  slug text not null,
  name text not null,
  region text,
  mode text,
  tier text,
  reason text,
  state text not null default 'pending' check (state in ('pending', 'approved', 'rejected', 'withdrawn')),
  requested_by text not null references users (id),
  decided_by text references users (id),
  decided_at timestamptz(3),
  reject_reason text,
  federation_id text unique references federations (id),
  created_at timestamptz(3) not null default wheelwright_now(),
  updated_at timestamptz(3) not null default wheelwright_now(),
  check ((state = 'pending') = (decided_at is null)),
  check ((state = 'pending') = (decided_by is null)),
  check ((state = 'approved') = (federation_id is not null)),
  check ((state = 'rejected') = (reject_reason is not null))
);
create unique index federation_requests_pending_slug on federation_requests (slug) where state = 'pending';
create index federation_requests_newest on federation_requests (created_at desc, id desc);
create index federation_requests_of_user on federation_requests (requested_by, created_at desc, id desc);
create index federation_requests_of_state on federation_requests (state, created_at desc, id desc);
`,
  ],
  [
    "0004_create_spokes",
    `\
-- Spokes: each is one Moodle site in a namespace whose name is never reused. The row of a removed spoke is kept as history.
create table spokes (
  id text primary key,
  federation_id text not null references federations (id),
  slug text not null,
  display_name text not null,
  domain text not null check (domain = lower(domain)),
  -- The domain to which the site will move.
  requested_domain text check (requested_domain = lower(requested_domain)),
  size text not null,
  identity boolean not null default false,
  content boolean not null default false,
  content_mode text,
  brand text,
  admin_email text not null,
  region text,
  lms_version text not null,
  seed text,
  -- The backup from which the site is created instead of a new installation, and the spoke from which it is copied.
  from_backup text,
  copy_of text references spokes (id),
  -- The mail of a copied site is held until somebody releases it, because the users belong to the original site.
  mail text not null default 'on' check (mail in ('on', 'held')),
  state text not null check (state in ('provisioning', 'active', 'failed', 'suspending', 'suspended', 'resuming',
    'updating', 'removing', 'removed')),
  state_reason text,
  -- Whether a user turned on maintenance mode. The login page then returns 503, and scheduled tasks are paused.
  maintenance boolean not null default false,
  health text not null default 'unknown' check (health in ('healthy', 'degraded', 'unknown')),
  -- The number of consecutive failed health checks. The third failure makes an active spoke degraded.
  failed_checks smallint not null default 0,
  drift jsonb,
  cluster text not null,
  cluster_uid text, -- as in federations
  namespace text not null unique,
  -- Requests include this UID, so that a late request for a removed namespace cannot reach another namespace.
  namespace_uid text,
  -- The blueprint and the values from which the site's Kubernetes objects were rendered.
  blueprint_revision text not null,
  blueprint_inputs jsonb not null,
  site_identifier text,
  -- The image that ran after the last installation, upgrade, restore or reapply, as the node reported it:
  -- \`repository@sha256:…\`, or \`sha256:…\` for an image without a registry. The publisher can move an image's tag.
  image_digest text check (length(image_digest) <= 400),
  -- When the next nightly backup and the next restore test are due. The transaction that queues a job sets its next time.
  backup_due_at timestamptz(3),
  restore_test_due_at timestamptz(3),
  -- When a backup last passed its restore test, and since when restore tests have failed. The second value is null if the
  -- last test passed, or if no test has run.
  verified_at timestamptz(3),
  unverified_since timestamptz(3),
  -- The number of audit events about this spoke that customers see.
  visible_events bigint not null default 0,
  created_by text not null references users (id),
  created_at timestamptz(3) not null default wheelwright_now(),
  updated_at timestamptz(3) not null default wheelwright_now(),
  ready_at timestamptz(3),
  observed_at timestamptz(3),
  removed_at timestamptz(3),
  recorded_at timestamptz(3), -- as in federations
  backup_updated_at timestamptz(3), -- as in federations
  check ((state = 'removed') = (removed_at is not null))
) with (fillfactor = 80); -- every sweep updates the rows of all active spokes
create unique index spokes_live_slug on spokes (federation_id, slug) where state <> 'removed';
create index spokes_of_federation on spokes (federation_id, created_at desc, id desc);
create index spokes_due_for_backup on spokes (cluster, backup_due_at) where state = 'active';
create index spokes_due_for_restore_test on spokes (cluster, restore_test_due_at) where state = 'active';
-- Spokes that are not created from their backup yet. Retention does not delete such a backup.
create index spokes_creating_from_backup on spokes (from_backup)
  where from_backup is not null and ready_at is null and state <> 'removed';
-- A domain is refused if it is a parent or a subdomain of another spoke's domain. Reversed subdomains have a common prefix.
create unique index spokes_live_domain on spokes (domain) where state <> 'removed';
create index spokes_reversed_domain on spokes (reverse(domain) collate "C") where state <> 'removed';
create unique index spokes_requested_domain on spokes (requested_domain) where state <> 'removed';
create index spokes_reversed_requested_domain on spokes (reverse(requested_domain) collate "C")
  where state <> 'removed' and requested_domain is not null;

-- Former domains of spokes. Until the time \`until\`, each redirects to the spoke's current domain and stays reserved.
create table former_domains (
  domain text primary key check (domain = lower(domain)),
  spoke_id text not null references spokes (id),
  until timestamptz(3) not null
);
create index former_domains_of_spoke on former_domains (spoke_id);
create index former_domains_reversed on former_domains (reverse(domain) collate "C");
create index former_domains_by_end on former_domains (until);

create table spoke_members (
  spoke_id text not null references spokes (id),
  user_id text not null references users (id),
  created_at timestamptz(3) not null default wheelwright_now(),
  primary key (spoke_id, user_id)
);
create index spoke_members_of_user on spoke_members (user_id);
`,
  ],
  [
    "0005_create_jobs",
    `\
-- Jobs, and the replicas that run them. A visible job is an operation; mail, sweeps and pruning are jobs of the service. The
-- holder of a running job is the replica that runs it. Each claim gives the job a higher fence. Every write by the holder
-- includes the fence, so a holder that has lost the job cannot change anything.
--
--            claim                    finish
--   queued ---------> running ----------------------> succeeded | failed | cancelled
--      ^                 |
--      +----- retry -----+      (transient error, shutdown; another replica claims the job of a dead holder)
create table replicas (
  id text primary key,
  release text not null,
  started_at timestamptz(3) not null default wheelwright_now(),
  heartbeat_at timestamptz(3) not null default wheelwright_now(),
  stopped_at timestamptz(3)
);

create sequence job_fences;

create table jobs (
  id text primary key,
  seq bigint generated always as identity,
  kind text not null,
  visible boolean not null,
  lane text,
  federation_id text references federations (id),
  spoke_id text references spokes (id),
  state text not null default 'queued' check (state in ('queued', 'running', 'succeeded', 'failed', 'cancelled')),
  run_at timestamptz(3) not null default wheelwright_now(),
  -- The ID of an operation that must end before this job continues.
  waits_for text,
  attempt integer not null default 0,
  time_limit_ms bigint not null check (time_limit_ms > 0),
  deadline_at timestamptz(3),
  fence bigint not null default 0,
  holder text references replicas (id),
  plan integer not null, -- the version of the kind's steps
  step_names text[] not null,
  finished_steps text[] not null default '{}',
  step_times jsonb not null default '{}', -- when each step finished, by its name
  label text not null,
  payload jsonb not null default '{}',
  progress jsonb not null default '{}',
  failure jsonb,
  dedupe_key text,
  cancel_requested_at timestamptz(3),
  requester_id text not null,
  requester_email text not null,
  requester_ip text not null,
  requester_agent text not null,
  requester_token text,
  -- The traceparent of the request, then a space and the tracestate. Null for jobs that the service starts.
  trace text,
  created_at timestamptz(3) not null default wheelwright_now(),
  updated_at timestamptz(3) not null default wheelwright_now(),
  started_at timestamptz(3),
  finished_at timestamptz(3),
  check ((state = 'running') = (holder is not null)),
  check ((state in ('succeeded', 'failed', 'cancelled')) = (finished_at is not null))
);
create unique index jobs_one_running_per_lane on jobs (lane) where state = 'running';
create unique index jobs_one_running_operation_per_spoke on jobs (spoke_id) where state = 'running' and visible;
create unique index jobs_one_live_per_dedupe_key on jobs (dedupe_key) where state in ('queued', 'running');
create index jobs_of_lane on jobs (lane, seq) where state = 'queued';
create index jobs_without_lane on jobs (run_at, seq) where state = 'queued' and lane is null;
create index jobs_waiting on jobs (waits_for) where state = 'queued' and waits_for is not null;
create index jobs_of_holder on jobs (holder) where state = 'running';
create index jobs_of_spoke on jobs (spoke_id, created_at desc, seq desc) where visible;
create index jobs_live_of_spoke on jobs (spoke_id) where visible and state in ('queued', 'running');
create index jobs_of_federation on jobs (federation_id, created_at desc, seq desc) where visible;
create index jobs_durations on jobs (kind, finished_at desc) where state = 'succeeded' and visible;
create index jobs_finished on jobs (visible, finished_at) where finished_at is not null; -- for pruning
-- Finds the backups that a job needs. Retention does not delete these backups.
create index jobs_using_backup on jobs ((payload ->> 'backupId'))
  where state in ('queued', 'running') and payload ->> 'backupId' is not null;
`,
  ],
  [
    "0006_create_ready_lanes",
    `\
-- A ready lane (queue) may have a job that can start at the time \`at\`. Replicas poll only the first ready lanes, so the cost of
-- a poll does not depend on the number of jobs and lanes. A transaction that makes a job startable also adds a row. A poll
-- deletes the row when it starts a job of the lane, or finds no job to start. Rows are never updated, so enqueueing never
-- waits for a lock. docs/queue.md explains why no job is missed.
--
-- A row with a kind is for replicas that know this kind and plan. A row without a kind (a job ended) is for all replicas.
create table ready_lanes (
  id bigint generated always as identity,
  kind text not null default '',
  plan integer not null default 0,
  at timestamptz(3) not null,
  lane text not null,
  primary key (kind, plan, at, id)
) with (
  -- The table fills and empties within moments, so its statistics must be updated often.
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 1000,
  autovacuum_analyze_scale_factor = 0,
  autovacuum_analyze_threshold = 1000
);

-- Adds the rows in a trigger, so that every release and every manual statement adds them.
create function add_ready_lanes() returns trigger language plpgsql
as $$
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
end $$;
create trigger jobs_ready_when_added after insert on jobs
  for each row when (new.state = 'queued' and new.lane is not null) execute function add_ready_lanes();
create trigger jobs_ready_when_changed after update of state, run_at on jobs
  for each row when (old.state <> new.state or old.run_at <> new.run_at) execute function add_ready_lanes();

-- Installations wait in the hub's lane until the hub is active.
create function add_ready_lane_of_hub() returns trigger language plpgsql
as $$
begin
  insert into ready_lanes (at, lane) values (wheelwright_now(), 'federation:' || new.id);
  return null;
end $$;
create trigger federations_ready_when_active after update of state on federations
  for each row when (old.state <> new.state and new.state = 'active') execute function add_ready_lane_of_hub();

-- When an operation ends, jobs that wait for it become due. A job that starts to wait locks the operation's row, and so does
-- the end of the operation, so the job cannot miss the end.
create function end_waits() returns trigger language plpgsql
as $$
begin
  update jobs set run_at = wheelwright_now() where state = 'queued' and waits_for = new.id and run_at > wheelwright_now();
  return null;
end $$;
create trigger jobs_end_waits after update of state on jobs
  for each row when (new.visible and old.state in ('queued', 'running') and new.state in ('succeeded', 'failed', 'cancelled'))
  execute function end_waits();
`,
  ],
  [
    "0007_create_audit_log",
    `\
-- The audit log. Triggers make the table append-only. Each row stores its hub, spoke, audience and visibility, so that an
-- index finds the events that a user may see, and later changes in other tables have no effect on them.
create table audit_events (
  id text primary key,
  kind text not null,
  actor_id text not null,
  actor_email text not null,
  object_type text not null,
  object_id text not null,
  metadata jsonb not null,
  ip text not null,
  user_agent text not null,
  at timestamptz(3) not null,
  federation_id text references federations (id),
  spoke_id text references spokes (id),
  audience_user_id text references users (id),
  customer_visible boolean not null,
  -- Whether only operators see ip and user_agent, because the actor was an operator at the time.
  origin_private boolean not null default true
);
-- Each filter has an index in the order of a page, so the cost of a page does not depend on the length of the log. Some
-- indexes omit the id, which only orders events in the same millisecond, because the id would double their size.
create index audit_events_newest on audit_events (at desc, id desc);
create index audit_events_of_spoke on audit_events (spoke_id, at desc, id desc);
create index audit_events_of_hub on audit_events (federation_id, at desc, kind);
create index audit_events_of_actor on audit_events (actor_id, at desc, kind);
create index audit_events_of_object on audit_events (object_id, at desc, id desc);
create index audit_events_of_kind on audit_events (kind, at desc);
create index audit_events_of_object_type on audit_events (object_type, at desc);
-- Indexes of the events that customers see. A hub may have a thousand other events between two of these. The id is included,
-- so that a search for unread events reads only the index.
create index audit_events_visible on audit_events (at desc) include (id) where customer_visible;
create index audit_events_visible_of_federation on audit_events (federation_id, at desc) include (id)
  where customer_visible;
create index audit_events_visible_of_spoke on audit_events (spoke_id, at desc) include (id)
  where customer_visible and spoke_id is not null;
create index audit_events_visible_to_audience on audit_events
  (audience_user_id, coalesce(federation_id, ''), coalesce(spoke_id, ''), at desc) include (id)
  where customer_visible and audience_user_id is not null;

create function refuse_audit_change() returns trigger language plpgsql
as $$ begin raise exception 'audit_events is append-only' using errcode = 'insufficient_privilege'; end $$;

create trigger audit_events_append_only before update or delete on audit_events
  for each row execute function refuse_audit_change();
create trigger audit_events_no_truncate before truncate on audit_events
  for each statement execute function refuse_audit_change();

-- A chain is the id of a hub, or 'system' for events without a hub. A seal is a hash over all events of a chain up to the
-- event (last_at, last_id); lib/audit/chain.ts defines the hash. A seal only moves forward, to prevent mistakes.
-- Only a head (hash) that was exported elsewhere can reveal changes by the owner of the tables.
create table audit_seals (
  chain text primary key,
  count bigint not null default 0 check (count >= 0),
  head text not null default repeat('0', 64) check (head ~ '^[0-9a-f]{64}$'),
  last_at timestamptz(3) not null default '-infinity',
  last_id text not null default '',
  sealed_at timestamptz(3) not null default wheelwright_now()
);

create function refuse_seal_change() returns trigger language plpgsql
as $$
begin
  if tg_op = 'UPDATE' and new.chain = old.chain and new.count > old.count and new.last_at >= old.last_at then
    return new;
  end if;
  raise exception 'audit_seals only moves forward' using errcode = 'insufficient_privilege';
end
$$;

create trigger audit_seals_forward_only before update or delete on audit_seals
  for each row execute function refuse_seal_change();
create trigger audit_seals_no_truncate before truncate on audit_seals
  for each statement execute function refuse_seal_change();

-- The number of events written to each chain. \`audit verify\` compares this number with the existing rows, to find events that
-- were deleted or added before they were sealed. A count only grows.
create table audit_counts (
  chain text primary key,
  events bigint not null check (events > 0)
);

create function count_audit_events() returns trigger language plpgsql
as $$
begin
  insert into audit_counts as counted (chain, events)
    select coalesce(federation_id, 'system'), count(*) from written group by 1 order by 1
    on conflict (chain) do update set events = counted.events + excluded.events;
  return null;
end
$$;

create trigger audit_events_counted after insert on audit_events referencing new table as written
  for each statement execute function count_audit_events();

create function refuse_count_change() returns trigger language plpgsql
as $$
begin
  if tg_op = 'UPDATE' and new.chain = old.chain and new.events > old.events then
    return new;
  end if;
  raise exception 'audit_counts only grows' using errcode = 'insufficient_privilege';
end
$$;

create trigger audit_counts_only_grow before update or delete on audit_counts
  for each row execute function refuse_count_change();
create trigger audit_counts_no_truncate before truncate on audit_counts
  for each statement execute function refuse_count_change();
`,
  ],
  [
    "0008_create_streams",
    `\
-- The event stream of each hub, and stored responses for repeated requests.

-- A transaction that writes an event locks the hub's row in this table last. Event numbers therefore have no gaps and follow
-- the order of commits, unlike a sequence, and \`at\` grows by at least 1 ms per event. Pruning deletes events up to
-- pruned_through, except the latest event of each existing hub and spoke.
create table stream_heads (
  federation_id text primary key references federations (id),
  number bigint not null default 0,
  last_at timestamptz(3) not null default wheelwright_now(),
  -- The number of audit events about this hub that customers see.
  visible_events bigint not null default 0,
  pruned_through bigint not null default 0
);

create table stream_events (
  federation_id text not null references federations (id),
  number bigint not null check (number > 0),
  type text not null,
  at timestamptz(3) not null,
  spoke_id text references spokes (id),
  data jsonb not null,
  primary key (federation_id, number)
);
create index stream_events_latest_of_spoke on stream_events (spoke_id, number desc);
create index stream_events_latest_of_hub on stream_events (federation_id, number desc) where spoke_id is null;
create index stream_events_by_age on stream_events (at);

-- The response to a create request with an Idempotency-Key. The creating transaction writes the row, so a concurrent request
-- with the same key waits for the primary key until that transaction ends.
create table idempotency_keys (
  user_id text not null references users (id),
  method text not null,
  path text not null,
  key text not null,
  body_hash bytea not null,
  reply jsonb,
  created_at timestamptz(3) not null default wheelwright_now(),
  primary key (user_id, method, path, key)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);
`,
  ],
  [
    "0009_create_notifications",
    `\
-- A notification is a customer-visible audit event. These tables store which notifications each user has read, and
-- counts that give the number of unread notifications without counting events.

-- Has no foreign key to audit_events: events are never deleted, and the key would lock a row of the log for each event read.
create table notification_reads (
  user_id text not null,
  event_id text not null,
  read_at timestamptz(3) not null,
  primary key (user_id, event_id)
);

-- The number of events of each object that a user has read. \`about\` is a hub (including its spokes), a spoke, the service
-- (events without a hub), an audience (decisions on the user's own requests, by hub and spoke), or all events.
create table notification_read_counts (
  user_id text not null references users (id),
  about text not null check (about in ('all', 'service', 'hub', 'spoke', 'audience')),
  federation_id text not null default '',
  spoke_id text not null default '',
  reads bigint not null default 0 check (reads >= 0),
  -- All visible events up to this time are read. A search for unread events starts here.
  read_through timestamptz(3) not null default '-infinity',
  -- Events up to this time are from before the user's membership. They count as read, and are part of \`reads\`.
  skip_through timestamptz(3) not null default '-infinity',
  primary key (user_id, about, federation_id, spoke_id),
  check ((federation_id <> '') = (about = 'hub') or about = 'audience'),
  check ((spoke_id <> '') = (about = 'spoke') or about = 'audience')
);
create index notification_read_counts_skipping on notification_read_counts (user_id) where skip_through > '-infinity';

-- Ranges of adjacent read events: every visible event of the object from from_at to through_at is read. Between two ranges
-- there is an unread event, so a search for unread events jumps from range to range.
create table notification_read_ranges (
  user_id text not null references users (id),
  about text not null,
  federation_id text not null,
  spoke_id text not null,
  from_at timestamptz(3) not null,
  through_at timestamptz(3) not null,
  primary key (user_id, about, federation_id, spoke_id, from_at),
  check (from_at < through_at)
);

-- The number of visible events is stored per hub in stream_heads and per spoke in spokes. These two tables count other events:
-- events without a hub, and events with an audience. Events with an audience are counted by hub and spoke ('' for none),
-- because an admin of that hub or spoke also sees the event there, and must see it only once.
create table service_event_head (
  only_row boolean primary key default true check (only_row),
  visible_events bigint not null default 0,
  last_at timestamptz(3) not null default '-infinity'
);
insert into service_event_head default values;

create table notification_audiences (
  user_id text not null references users (id),
  federation_id text not null default '',
  spoke_id text not null default '',
  visible_events bigint not null default 0,
  primary key (user_id, federation_id, spoke_id)
);
`,
  ],
  [
    "0010_create_backups",
    `\
-- Backups: snapshots of both volumes of a spoke, taken at the same time by one operation. The row and the snapshots outlive the
-- spoke's namespace. \`volumes\` has the names and handles of the snapshots, so a removed spoke can be restored. Each volume is
-- {claim, snapshot, snapshotUid, content, handle, driver, class, restoreSize}, without fields that are not known yet.
--
--   pending --> ready ----> deleted      by retention only; a backup with deleting_since can no longer be restored
--      |                       ^
--      +-----> failed ---------+         retention deletes what the failed attempt created
create table backups (
  id text primary key,
  spoke_id text not null references spokes (id),
  federation_id text not null references federations (id),
  operation_id text not null unique,
  cluster text not null,
  namespace text not null,
  kind text not null check (kind in ('nightly', 'manual', 'upgrade', 'last')),
  state text not null default 'pending' check (state in ('pending', 'ready', 'failed', 'deleted')),
  volumes jsonb not null default '[]',
  size_bytes bigint check (size_bytes >= 0),
  error text,
  -- Whether the failure was recorded in the audit log.
  failure_reported boolean not null default false,
  -- Values for a new site that is created from this backup: the version, the images {moodle, postgres, fpmDirectory}, and
  -- Moodle's own identifier of the site.
  lms_version text,
  images jsonb,
  site_identifier text,
  -- Counts right before and after the backup: {before, after}, each with {courses, users}. Null if not counted.
  counts jsonb,
  -- The job of the last restore test. If the test passed, verification has the results; if not, verification_error the reason.
  restore_test_id text,
  verified_at timestamptz(3),
  verification jsonb,
  verification_error text,
  created_at timestamptz(3) not null default wheelwright_now(),
  ready_at timestamptz(3),
  failed_at timestamptz(3),
  deleting_since timestamptz(3),
  deleted_at timestamptz(3),
  check (state <> 'ready' or ready_at is not null),
  check (state <> 'failed' or failed_at is not null),
  check ((state = 'deleted') = (deleted_at is not null)),
  check (kind <> 'last' or deleting_since is null),
  check ((verified_at is null) = (verification is null))
);
create index backups_of_spoke on backups (spoke_id, created_at desc, id desc);
create index backups_not_deleted on backups (spoke_id, created_at desc) where state <> 'deleted';
create index backups_failed on backups (spoke_id, failed_at desc) where failed_at is not null;
create index backups_pending on backups (operation_id) where state = 'pending';
create index backups_to_prune on backups (deleted_at)
  where state = 'deleted' and kind = 'nightly' and ready_at is not null;

-- The snapshot classes of each cluster that retain snapshots, as last read: [{name, driver}]; null before the first reading.
-- A request for a spoke's backups reads this table, so the request does not wait for the cluster.
create table cluster_snapshots (
  cluster text primary key,
  classes jsonb,
  error text,
  checked_at timestamptz(3) not null default wheelwright_now()
);

-- PVCs in a spoke's namespace that the site does not use, until they are deleted: PVCs that a restore replaced, kept for a
-- rollback, and PVCs that a failed restore created. The row is deleted with the PVC, or when the site uses the PVC again.
-- After deleting_since, a rollback is no longer possible.
create table retained_pvcs (
  spoke_id text not null references spokes (id),
  claim text not null, -- the name of the PVC
  -- Null for a PVC of a failed restore: its name is unique, and it may not exist.
  uid text,
  operation_id text not null,
  reason text not null check (reason in ('replaced', 'unused')),
  since timestamptz(3) not null default wheelwright_now(),
  until timestamptz(3) not null,
  deleting_since timestamptz(3),
  primary key (spoke_id, claim),
  check (reason <> 'replaced' or uid is not null)
);
create index retained_pvcs_by_end on retained_pvcs (until);

-- Requests by hub admins that an operator restore a spoke from a backup.
--
--            restored, or marked    done
--   open ------------------------+-> declined
--            declined
create table restore_requests (
  id text primary key,
  federation_id text not null references federations (id),
  spoke_id text not null references spokes (id),
  backup_id text not null,
  reason text not null,
  state text not null default 'open' check (state in ('open', 'done', 'declined')),
  requested_by text not null references users (id),
  decided_by text references users (id),
  decided_at timestamptz(3),
  decline_reason text,
  created_at timestamptz(3) not null default wheelwright_now(),
  updated_at timestamptz(3) not null default wheelwright_now(),
  check ((state = 'open') = (decided_at is null)),
  check (state <> 'open' or decided_by is null),
  check ((state = 'declined') = (decline_reason is not null))
);
create unique index restore_requests_one_open_per_backup on restore_requests (spoke_id, backup_id) where state = 'open';
create index restore_requests_newest on restore_requests (created_at desc, id desc);
create index restore_requests_of_spoke on restore_requests (spoke_id, created_at desc, id desc);
create index restore_requests_of_user on restore_requests (requested_by, created_at desc) where state = 'open';
`,
  ],
  [
    "0011_create_templates",
    `\
-- Templates: pristine installations, stored as two snapshots, from which new sites are created. One template exists for each
-- combination of cluster, version, images, blueprint and storage class in use. \`volumes\` has the same format as in backups.
--
--   creating --> ready ---+--> retiring --> (row deleted)   not needed any more
--     ^  |         |      |
--     |  v         v      |
--     +- failed <---------+    creating it failed, or creating a site from it; next_attempt_at is the time of the next attempt
--
-- A template that is created again gets a new id.
create table templates (
  id text primary key,
  cluster text not null,
  cluster_uid text not null, -- '' if it cannot be read
  version text not null,
  moodle_image text not null,
  postgres_image text not null,
  revision text not null, -- of the blueprint
  storage_class text not null, -- '' for the cluster's default
  state text not null default 'creating' check (state in ('creating', 'ready', 'failed', 'retiring')),
  volumes jsonb not null default '[]',
  failures integer not null default 0,
  error text,
  next_attempt_at timestamptz(3),
  created_at timestamptz(3) not null default wheelwright_now(),
  ready_at timestamptz(3),
  last_used_at timestamptz(3),
  check (state <> 'ready' or ready_at is not null),
  check (state <> 'failed' or (error is not null and next_attempt_at is not null)),
  constraint templates_one_of_each unique (cluster, cluster_uid, version, moodle_image, postgres_image, revision, storage_class)
);

-- The template from which a spoke's site is or was created. fallback_reason says why the site is installed instead. The row
-- is kept until all objects from the template are deleted. A template in use is not retired.
create table template_uses (
  spoke_id text primary key references spokes (id),
  template_id text not null,
  adoption_id text not null, -- part of the names of the objects that this use creates
  fallback_reason text,
  started_at timestamptz(3) not null default wheelwright_now()
);
create index template_uses_of_template on template_uses (template_id);
`,
  ],
  [
    "0012_create_billing",
    `\
-- Billing. The payment provider is authoritative for payments, and the rows of spokes for billed quantities. These tables
-- store the last request to the provider and the response. A hub without a subscription is not billed.
create table subscriptions (
  federation_id text primary key references federations (id),
  email text not null,
  customer_id text unique,
  subscription_id text unique,
  status text check (status in (
    'incomplete', 'incomplete_expired', 'trialing', 'active', 'past_due', 'canceled', 'unpaid', 'paused'
  )),
  currency text,
  -- The quantities that the provider was last sent, {size: quantity}; null if they are unknown and must be sent again.
  sent_quantities jsonb,
  -- The subscription items that the provider has reported since then.
  items jsonb not null default '[]',
  invoice jsonb,
  -- How sent and reported quantities differ. An operator must correct the difference.
  difference jsonb,
  past_due_since timestamptz(3),
  error text,
  retry_at timestamptz(3),
  checked_at timestamptz(3),
  created_at timestamptz(3) not null default wheelwright_now(),
  updated_at timestamptz(3) not null default wheelwright_now(),
  check (subscription_id is null or customer_id is not null),
  check ((status is null) = (subscription_id is null))
);

-- Events from the provider's webhook, each stored once. An event only names an object, which is then fetched again.
create table billing_events (
  id text primary key,
  type text not null,
  object_id text,
  customer_id text,
  federation_id text references federations (id),
  created_at timestamptz(3) not null,
  received_at timestamptz(3) not null default wheelwright_now(),
  handled_at timestamptz(3)
);
create index billing_events_received on billing_events (received_at);

-- Refunds that were recorded in the audit log, each stored once.
create table billing_refunds (
  id text primary key,
  federation_id text not null references federations (id),
  charge_id text,
  amount bigint not null check (amount >= 0), -- in the currency's minor unit
  currency text not null,
  created_at timestamptz(3) not null
);
`,
  ],
  [
    "0013_create_deprecations",
    `\
-- When this installation first announced each deprecation. The promised notice of 30 days begins when a release that
-- announces the deprecation first starts, because a release may be installed long after its date.
create table deprecation_announcements (
  notice_id text primary key,
  first_announced_at timestamptz(3) not null default wheelwright_now()
);

-- Users who were notified of a deprecation. The transaction that queues the mail writes the row, so each user gets one mail.
create table deprecation_notices (
  notice_id text not null,
  user_id text not null references users (id),
  notified_at timestamptz(3) not null default wheelwright_now(),
  primary key (notice_id, user_id)
);
`,
  ],
  [
    "0014_create_installation",
    `\
-- The identity of this installation. Hubs and spokes have site records in their namespaces, to rebuild a lost database. Site
-- records are signed with \`key\`; \`id\` distinguishes several installations in one cluster.
create table installation (
  only_row boolean primary key default true check (only_row),
  id text not null,
  key text not null
);
insert into installation (id, key) values (
  'ins_' || left(replace(gen_random_uuid()::text, '-', ''), 16),
  replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '')
);

-- Restores of this database from a backup. Until released_at is set, the database is held (runs no jobs), because it may be
-- older than the clusters. Nothing is changed there until an operator has compared the database with the clusters.
create table database_restores (
  restored_at timestamptz(3) primary key default wheelwright_now(),
  taken_at timestamptz(3) not null, -- when the backup was taken
  released_at timestamptz(3)
);
`,
  ],
  [
    "0015_create_live_lists",
    `\
-- Tables from which lists, searches and counts of hubs and spokes are read. The cost of a page must not depend on the number of
-- spokes. An index on spokes would not help enough: each sweep updates the rows of all active spokes, so an index-only scan
-- reads the rows as well, and one row of spokes takes the space of ten rows here.
--
-- Triggers maintain the tables, so that every release and every manual statement does. Removed hubs and spokes have no rows.

-- Returns all parts of a text that are one to three characters long. A text that contains a word contains all parts of the word.
create function text_grams(content text) returns text[] language sql immutable strict parallel safe
as $$ select array_agg(substr(content, start, size)) from generate_series(1, length(content)) as start,
  generate_series(1, 3) as size $$;

-- Returns the parts of \`word\` that a text must have to contain \`word\`.
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
      values (new.id, new.state, new.created_at, lower(new.slug || E'\\n' || new.name))
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
declare new_content text := lower(new.slug || E'\\n' || new.display_name || E'\\n' || new.domain);
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
  select id, federation_id, created_at, lower(slug || E'\\n' || display_name || E'\\n' || domain)
  from spokes where state <> 'removed' order by created_at, id;
insert into live_hubs (federation_id, state, created_at, content, provisioning, active, failed, suspending, suspended, resuming,
    updating, removing, degraded, unverified, oldest_verified_at)
  select hub.id, hub.state, hub.created_at, lower(hub.slug || E'\\n' || hub.name),
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
`,
  ],
  [
    "0016_index_user_search",
    `\
-- concurrently
-- Finds users by a part of the email address or the display name.
create index concurrently if not exists users_search on users using gin (text_grams(lower(email || E'\\n' || display_name)));
`,
  ],
  [
    "0017_index_removed_spokes",
    `\
-- concurrently
-- Pages of removed spokes. Other spokes have a row in live_spokes.
create index concurrently if not exists spokes_removed on spokes (created_at desc, id desc) where state = 'removed';
`,
  ],
  [
    "0018_index_few_users",
    `\
-- concurrently
-- Lists of users with a role or state that few users have: operators, invited, unverified and disabled users.
create index concurrently if not exists users_of_few_kinds on users (created_at desc, id desc)
  where operator or email_verified_at is null or disabled_at is not null;
`,
  ],
  [
    "0019_create_rollouts",
    `\
-- Rollouts: one action on many spokes, in waves. A job per rollout starts the operations of each wave.
create table rollouts (
  id text primary key,
  state text not null default 'running' check (state in ('running', 'paused', 'completed', 'aborted')),
  -- The action with its parameters, for example {"action": "upgrade", "lmsVersion": "4.5.12"}.
  action text not null,
  parameters jsonb not null,
  canary_spokes integer not null check (canary_spokes >= 0),
  canary_minutes integer not null check (canary_minutes >= 0),
  batch text not null, -- a number of spokes, or a percentage such as 10%
  max_unavailable integer not null check (max_unavailable >= 1),
  max_failures integer not null check (max_failures >= 1),
  time_window jsonb, -- null: at any time
  federation_ids text[] not null, -- the hubs of its spokes, which decide who may see it
  note text, -- what the rollout waits for
  reason text, -- why it was paused or aborted
  requested_by text not null references users (id),
  created_at timestamptz(3) not null default wheelwright_now(),
  updated_at timestamptz(3) not null default wheelwright_now(),
  finished_at timestamptz(3),
  check ((state in ('completed', 'aborted')) = (finished_at is not null))
);
create index rollouts_by_time on rollouts (created_at desc, id desc);

create table rollout_spokes (
  rollout_id text not null references rollouts (id),
  spoke_id text not null references spokes (id),
  position integer not null,
  wave integer, -- null for a spoke that the action cannot change
  state text not null check (state in ('waiting', 'running', 'checking', 'succeeded', 'failed', 'skipped')),
  operation_id text, -- without a reference, because old operations are deleted
  reason text, -- why it failed or was skipped
  ended_at timestamptz(3), -- when its operation ended
  primary key (rollout_id, spoke_id)
);
`,
  ],
  [
    "0020_create_usage",
    `\
-- Usage of sites: storage, users and courses, which each site reports a few times an hour, and restarts of its containers.

-- What the sweep last read about each spoke.
create table spoke_usage (
  spoke_id text primary key references spokes (id),
  observed_at timestamptz(3) not null,
  measured_at timestamptz(3), -- when the site measured its usage; null if it has not reported anything yet
  files_used bigint, -- bytes
  files_size bigint,
  database_used bigint,
  database_size bigint,
  users integer,
  active_users integer, -- in the last 30 days
  courses integer,
  tasks_at timestamptz(3), -- when the scheduled tasks last succeeded, at most ten minutes too early
  -- The number of restarts of each running pod, and the time of the last container that was killed for its memory. The next
  -- check counts only later ones.
  pod_restarts jsonb not null default '{}',
  oom_killed_at timestamptz(3),
  warned_percent smallint not null default 0 -- the storage percentage of which users were notified
) with (fillfactor = 70);

-- Samples: 48 hours by hour, and two years by day. A bucket has the newest values of its hour or day.
create table usage_samples (
  spoke_id text not null references spokes (id),
  grain text not null check (grain in ('hour', 'day')),
  at timestamptz(3) not null, -- the start of the hour or day (UTC)
  files_used bigint,
  files_size bigint,
  database_used bigint,
  database_size bigint,
  users integer,
  active_users integer,
  courses integer,
  restarts integer not null default 0,
  oom_kills integer not null default 0,
  primary key (spoke_id, grain, at)
);
create index usage_samples_by_age on usage_samples (grain, at);

-- The same for hubs: the sums over the hub's spokes, so that reading a hub's usage does not depend on their number.
create table hub_usage_samples (
  federation_id text not null references federations (id),
  grain text not null check (grain in ('hour', 'day')),
  at timestamptz(3) not null,
  measured_at timestamptz(3) not null, -- when the sums were calculated
  spokes integer not null, -- the number of spokes in the sums
  full_spokes integer not null, -- of these, the spokes that use at least 80% of their storage
  files_used bigint,
  files_size bigint,
  database_used bigint,
  database_size bigint,
  users bigint,
  active_users bigint,
  courses bigint,
  primary key (federation_id, grain, at)
);
create index hub_usage_samples_by_age on hub_usage_samples (grain, at);

-- The larger of the percentages of files and database. Null if unknown.
alter table spokes add column storage_percent smallint;
alter table live_spokes add column storage_percent smallint;

create function list_storage() returns trigger language plpgsql
as $$
begin
  update live_spokes set storage_percent = new.storage_percent where spoke_id = new.id;
  return null;
end $$;
-- Fires after spokes_listed_when_changed, which adds the row of a spoke that was removed before.
create trigger spokes_storage_listed after update of storage_percent, state on spokes for each row
  when (old.storage_percent is distinct from new.storage_percent or old.state = 'removed')
  execute function list_storage();

create index live_spokes_by_storage on live_spokes (storage_percent desc, spoke_id desc) include (federation_id)
  where storage_percent is not null;
`,
  ],
  [
    "0021_create_availability",
    `\
-- Availability: whether each site's login page worked, per minute for two days and per day for two years.

-- The latest result of the requests to each spoke's login page. A row changes only if the result changes.
create table page_checks (
  spoke_id text primary key references spokes (id),
  problem text check (length(problem) <= 500), -- why the login page does not work; null if it works
  -- The host whose public address has answered this control plane at least once. Until then, a failed connection does not
  -- show that the site is down, because the control plane may have no route to the address.
  reached_host text,
  updated_at timestamptz(3) not null default wheelwright_now()
);

-- Sets of minutes: bit N of a column is minute N of the hour. A minute that is in no set is unknown.
create table availability_hours (
  spoke_id text not null references spokes (id),
  hour timestamptz(3) not null,
  up bigint not null,
  down bigint not null,
  planned bigint not null,
  primary key (spoke_id, hour)
) with (fillfactor = 50); -- the rows of the current hour are updated every minute

-- The number of minutes of each kind per day (UTC). A job adds up the current day every few minutes.
create table availability_days (
  spoke_id text not null references spokes (id),
  federation_id text not null references federations (id),
  day date not null,
  up smallint not null,
  down smallint not null,
  planned smallint not null,
  unknown smallint not null,
  primary key (spoke_id, day)
);
create index availability_days_by_day on availability_days (day, federation_id);

-- The sums of all spokes of a hub, so that reading them does not depend on the number of spokes.
create table availability_hub_days (
  federation_id text not null references federations (id),
  day date not null,
  up bigint not null,
  down bigint not null,
  planned bigint not null,
  unknown bigint not null,
  primary key (federation_id, day)
);
create index availability_hub_days_by_day on availability_hub_days (day);
`,
  ],
  [
    "0022_create_turns",
    `\
-- A large bulk action changes only some of a cluster's sites at the same time: each of its operations needs a turn. An operation
-- without a turn does not start, and operations that were requested later for the same spoke wait for it. Rows are deleted when
-- the operation ends.
create table turns (
  job_id text primary key references jobs (id) on delete cascade,
  spoke_id text not null,
  cluster text not null,
  seq bigint not null, -- the job's place in the queue
  granted boolean not null
);
create index turns_of_spokes on turns (spoke_id, seq) where not granted;
create index turns_of_clusters on turns (cluster, granted, seq);

-- Passes the turn of an operation that has ended to the next operation in the cluster. The lock makes sure that an operation that
-- is being added sees the end of this one, or is seen by it.
create function pass_turn() returns trigger language plpgsql
as $$
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
end $$;
create trigger jobs_pass_turn after update of state on jobs
  for each row when (new.visible and old.state in ('queued', 'running') and new.state in ('succeeded', 'failed', 'cancelled'))
  execute function pass_turn();
`,
  ],
  [
    "0023_extend_lists",
    `\
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
declare new_content text := lower(new.slug || E'\\n' || new.display_name || E'\\n' || new.domain);
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
`,
  ],
  [
    "0024_index_newest_operations",
    `\
-- concurrently
-- Pages of the operations in all hubs.
create index concurrently if not exists jobs_newest on jobs (created_at desc, seq desc) where visible;
`,
  ],
  [
    "0025_index_operations_by_state",
    `\
-- concurrently
-- Pages of the operations in all hubs in one state.
create index concurrently if not exists jobs_of_state on jobs (state, created_at desc, seq desc) where visible;
`,
  ],
  [
    "0026_index_hub_operations_by_state",
    `\
-- concurrently
-- Pages of the operations in one state, a page per hub.
create index concurrently if not exists jobs_of_federation_state on jobs (federation_id, state, created_at desc, seq desc)
  where visible;
`,
  ],
  [
    "0027_list_storage_and_history",
    `\
-- Lists of spokes with at least a given storage percentage, and in the order of storage. Spokes whose usage is unknown are last.
-- Replaces the index by hub with one that has all filters, so that lists over many hubs do not read the rows.
-- accepts contract: programs work without the removed indexes, which the new indexes replace
alter table live_spokes add column storage_rank smallint not null default -1; -- storage_percent, or -1 if it is unknown
update live_spokes set storage_rank = storage_percent where storage_percent is not null;

create or replace function list_storage() returns trigger language plpgsql
as $$
begin
  update live_spokes set storage_percent = new.storage_percent, storage_rank = coalesce(new.storage_percent, -1)
    where spoke_id = new.id;
  return null;
end $$;

create index live_spokes_of_storage on live_spokes (storage_rank, created_at desc, spoke_id desc)
  include (federation_id, last_failed_at);
create index live_spokes_fullest on live_spokes (storage_rank desc, spoke_id desc) include (federation_id);
drop index live_spokes_by_storage;
create index live_spokes_of_hub_blueprint on live_spokes (federation_id, blueprint_revision) include (spoke_id);
create index live_spokes_in_hub on live_spokes (federation_id, created_at desc, spoke_id desc)
  include (state, health, size, lms_version, region, blueprint_revision, storage_rank, last_failed_at);
drop index live_spokes_of_hub;

-- The history of the overview: totals per day (UTC), so that reading 30 days does not depend on the number of operations. They
-- are added up from jobs and samples every few minutes.
create table daily_totals (
  scope text not null, -- the ID of a hub, or 'all'
  day date not null,
  -- install, wait: the number of durations in the bucket \`key\`; failure: the number of failures with the code \`key\`;
  -- storage: used bytes of all hubs; added-up: when the day was added up (seconds since the epoch)
  measure text not null check (measure in ('install', 'wait', 'failure', 'storage', 'added-up')),
  key text not null,
  total bigint not null,
  primary key (scope, day, measure, key)
);
create index daily_totals_by_day on daily_totals (day);
`,
  ],
  [
    "0028_report_tasks",
    `\
-- What each site last reported about its scheduled and ad hoc tasks and about Moodle's own checks, as usage.php wrote it.
alter table spoke_usage add column task_health jsonb; -- null: the site has not reported it yet

-- When the certificate of the site's public address ends, as the requests for its login page saw it, and the number of
-- days before the end at which users were last warned.
alter table page_checks add column certificate_ends_at timestamptz(3);
alter table page_checks add column certificate_warned_days smallint;
create index page_checks_by_certificate on page_checks (certificate_ends_at) where certificate_ends_at is not null;
`,
  ],
  [
    "0029_share_policies",
    `\
-- What a hub shares with its spokes. The newest versions are a column of the hub's row, like everything else that the
-- hub's record in the cluster contains; the table has the history, so that an old version can be made the newest again.
alter table federations add column policy jsonb; -- null: nothing was ever shared
alter table spokes add column policy jsonb; -- the spoke's own values and exclusions; null: it has none

create table policy_versions (
  federation_id text not null references federations (id),
  section text not null,
  version integer not null check (version >= 1),
  values jsonb not null,
  overridable text[] not null, -- the fields that spokes may override
  changed_at timestamptz(3) not null default wheelwright_now(),
  changed_by text not null, -- the email address of the user; accounts may change theirs later
  primary key (federation_id, section, version)
);
`,
  ],
  [
    "0032_list_addons",
    `\
-- The add-ons that each site last reported, which usage.php lists once an hour.
alter table spoke_usage add column addons_at timestamptz(3); -- when the site listed them; null: it has not reported any list yet
alter table spoke_usage add column addon_count integer; -- the number of all add-ons; a report has room for about 100

-- Rows of removed spokes are deleted with their rows in live_spokes.
create table spoke_addons (
  spoke_id text not null references live_spokes (spoke_id) on delete cascade,
  component text not null, -- such as mod_attendance
  version double precision not null, -- Moodle's number, such as 2024101100
  enabled boolean not null,
  federation_id text not null, -- of the spoke, like created_at, for pages of spokes in the order of the list
  created_at timestamptz(3) not null,
  primary key (spoke_id, component)
);
create index spoke_addons_newest on spoke_addons (component, created_at desc, spoke_id desc);
create index spoke_addons_of_hub on spoke_addons (federation_id, component, created_at desc, spoke_id desc);
`,
  ],
  [
    "0033_keep_courses",
    `\
-- The courses that a hub offers to its spokes, with all their versions. They are a column of the hub's row, like everything
-- else that the hub's record in the cluster contains. The packages are on a volume in the hub's namespace.
alter table federations add column courses jsonb; -- null: no course was ever published
`,
  ],
  [
    "0034_link_identities",
    `\
-- Accounts at OpenID Connect providers with which users sign in, sign-ins in progress, and the roles that a provider's
-- groups gave. A role that a person gave has no row in mapped_roles, so a provider never removes it.
create table identities (
  id text primary key,
  user_id text not null references users (id),
  issuer text not null check (length(issuer) <= 500),
  subject text not null check (length(subject) <= 255),
  provider text not null, -- its id in the file when the user last signed in with this identity
  email text, -- as the provider reported it at the last sign-in; only for display
  created_at timestamptz(3) not null default wheelwright_now(),
  last_used_at timestamptz(3) not null default wheelwright_now()
);
create unique index identities_by_subject on identities (issuer, subject);
-- Prevents a second person with a reused address from joining the account.
create unique index identities_by_user on identities (user_id, issuer);

-- Sign-ins that browsers have started. A row is deleted when the provider's answer arrives, so each answer counts once.
create table sign_in_requests (
  state_hash bytea primary key check (length(state_hash) = 32),
  browser_hash bytea not null check (length(browser_hash) = 32),
  provider text not null,
  next_path text not null,
  invitation_id text references one_time_tokens (id) on delete cascade, -- the invitation to accept
  created_at timestamptz(3) not null default wheelwright_now()
);
create index sign_in_requests_by_age on sign_in_requests (created_at);

create table mapped_roles (
  user_id text not null references users (id),
  issuer text not null,
  federation_id text references federations (id), -- null: the role of an operator
  created_at timestamptz(3) not null default wheelwright_now()
);
create unique index mapped_roles_by_user on mapped_roles (user_id, federation_id) nulls not distinct;

-- The ID of the provider at which the session began; null for a session that began here.
alter table sessions add column provider text;
`,
  ],
  [
    "0035_record_confirmations",
    `\
-- When and how the user of a session last proved their identity. Dangerous actions require a recent proof.
alter table sessions add column confirmed_at timestamptz(3); -- null: only at the sign-in, at created_at
alter table sessions add column method text not null default 'password';
alter table sessions add constraint sessions_method check (method in ('password', 'provider', 'passkey', 'link'))
  not valid;
`,
  ],
  [
    "0036_create_second_factors",
    `\
-- Second factors of users, their recovery codes, and sign-ins that wait for a second factor. Secrets of TOTP apps are
-- encrypted with SECRETS_KEY; recovery codes and the secrets of cookies are stored as hashes.
create table factors (
  id text primary key,
  user_id text not null references users (id),
  kind text not null check (kind in ('totp', 'passkey')),
  name text not null check (length(name) between 1 and 100),
  totp_secret text,
  totp_last_step bigint, -- the 30 seconds of the last accepted code, so that a code works once
  created_at timestamptz(3) not null default wheelwright_now(),
  activated_at timestamptz(3), -- null until the user has entered the first code
  last_used_at timestamptz(3),
  check ((kind = 'totp') = (totp_secret is not null))
);
create index factors_of_user on factors (user_id, created_at);

create table recovery_codes (
  user_id text not null references users (id),
  code_hash bytea not null check (length(code_hash) = 32),
  used_at timestamptz(3),
  primary key (user_id, code_hash)
);

create table pending_sign_ins (
  id text primary key,
  user_id text not null references users (id),
  token_hash bytea not null unique check (length(token_hash) = 32),
  method text not null check (method in ('password', 'provider', 'passkey', 'link')),
  ip text not null,
  user_agent text not null,
  failures integer not null default 0,
  created_at timestamptz(3) not null default wheelwright_now(),
  ended_at timestamptz(3)
);
create index pending_sign_ins_open_of_user on pending_sign_ins (user_id) where ended_at is null;
create index pending_sign_ins_by_age on pending_sign_ins (created_at);

-- Wrong codes in a row. Only someone who knows the password can cause them, except with a stolen session.
alter table users add column code_failures integer not null default 0;
alter table users add column code_failed_at timestamptz(3);
`,
  ],
  [
    "0037_limit_tokens_to_hubs",
    `\
-- Limits API tokens to hubs, and records from where they are used and when an email about their expiry was queued. The
-- hash of a limited token differs from the hash that earlier releases compute, so that they refuse it instead of granting all.
alter table api_tokens add column federation_ids text[]; -- null: no limit
alter table api_tokens add column last_used_ip text; -- like last_used_at accurate to a minute
alter table api_tokens add column last_used_agent text;
alter table api_tokens add column expiry_mailed_at timestamptz(3); -- when the last email about the expiry was queued
`,
  ],
  [
    "0038_find_expiring_tokens",
    `\
-- concurrently
-- Finds tokens whose owners get an email about the expiry.
create index concurrently if not exists api_tokens_by_expiry on api_tokens (expires_at, id) where revoked_at is null and expires_at is not null;
`,
  ],
  [
    "0039_create_webhooks",
    `\
-- A webhook sends the events of a hub's stream, or of all streams, to a URL. It is a reader of the stream with a stored
-- position in each hub, so that an event needs no row per webhook.
create table webhooks (
  id text primary key,
  federation_id text references federations (id), -- null: a webhook of the installation, which gets the events of all hubs
  url text not null,
  event_types text[] not null default '{}', -- empty: all types
  description text not null default '',
  secret text not null, -- encrypted with SECRETS_KEY
  former_secret text, -- also signs until the time below
  former_secret_ends_at timestamptz(3),
  state text not null default 'active' check (state in ('active', 'disabled')),
  disabled_reason text,
  created_by text not null references users (id),
  created_at timestamptz(3) not null default wheelwright_now(),
  updated_at timestamptz(3) not null default wheelwright_now(),
  check ((former_secret is null) = (former_secret_ends_at is null))
);
create index webhooks_by_hub on webhooks (federation_id, created_at desc, id desc);

-- How far a webhook has delivered the events of a hub. The cursor moves in the transaction that records the delivery.
create table webhook_cursors (
  webhook_id text not null references webhooks (id) on delete cascade,
  federation_id text not null references federations (id),
  number bigint not null, -- the number of the last event that was delivered or skipped
  attempt integer not null default 0, -- the failed attempts to deliver the next event
  failing_since timestamptz(3), -- the first failed attempt since the last success
  retry_at timestamptz(3), -- when the next attempt may start
  primary key (webhook_id, federation_id)
);
create index webhook_cursors_by_hub on webhook_cursors (federation_id);

-- Each attempt with its answer, for 14 days and at most 1,000 per webhook.
create table webhook_deliveries (
  id text primary key,
  webhook_id text not null references webhooks (id) on delete cascade,
  federation_id text,
  number bigint, -- the event's number; null for a test message
  trigger text not null check (trigger in ('event', 'test', 'redelivery')),
  message_id text not null,
  type text not null,
  body text not null,
  attempt integer not null,
  status integer, -- null: no answer
  answer text not null,
  error text, -- null: delivered
  duration_ms integer not null,
  created_at timestamptz(3) not null default wheelwright_now()
);
create index webhook_deliveries_by_time on webhook_deliveries (webhook_id, created_at desc, id desc);
`,
  ],
  [
    "0041_back_up_libraries",
    `\
-- The libraries of hubs: volumes in the hubs' namespaces with the packages of courses. A row is added when a hub publishes its
-- first course. \`packages\` are the SHA-256 hashes of the packages that the last check found among those that the hub names.
create table libraries (
  federation_id text primary key references federations (id),
  packages jsonb not null default '[]',
  used_bytes bigint check (used_bytes >= 0), -- of the whole volume; null before the first check
  free_bytes bigint check (free_bytes >= 0),
  checked_at timestamptz(3),
  -- When the library is checked next. A publication sets it to now.
  check_due_at timestamptz(3) not null default wheelwright_now(),
  -- Why the last check or backup failed; null if it succeeded.
  error text,
  error_code text,
  check ((error is null) = (error_code is null))
);
create index libraries_due on libraries (check_due_at);

-- Snapshots of these volumes. Like the backups of spokes, they outlive the namespace. \`volumes\` has one volume, with the fields
-- of \`backups\`, and \`packages\` are those that the volume had right before the snapshot.
--
--   pending --> ready ----> deleted      by retention
--      |                       ^
--      +-----> failed ---------+
create table library_backups (
  id text primary key,
  federation_id text not null references federations (id),
  job_id text not null unique,
  cluster text not null,
  namespace text not null,
  state text not null default 'pending' check (state in ('pending', 'ready', 'failed', 'deleted')),
  volumes jsonb not null default '[]',
  packages jsonb not null,
  size_bytes bigint check (size_bytes >= 0),
  error text,
  created_at timestamptz(3) not null default wheelwright_now(),
  ready_at timestamptz(3),
  failed_at timestamptz(3),
  deleting_since timestamptz(3),
  deleted_at timestamptz(3),
  check (state <> 'ready' or ready_at is not null),
  check (state <> 'failed' or failed_at is not null),
  check ((state = 'deleted') = (deleted_at is not null))
);
create index library_backups_of_hub on library_backups (federation_id, created_at desc, id desc);
create index library_backups_not_deleted on library_backups (federation_id) where state <> 'deleted';
`,
  ],
  [
    "0042_count_busy_workers",
    `\
-- How often all PHP workers of a site were busy, so that requests had to wait. usage.php reports it.
alter table spoke_usage add column workers_busy bigint; -- the site's own total; null: it has not reported any yet
alter table spoke_usage add column workers_busy_at timestamptz(3);
alter table usage_samples add column workers_busy integer not null default 0; -- since the previous sample
`,
  ],
  [
    "0043_sign_in_from_terminals",
    `\
-- Sign-ins from a terminal that a user approves in a browser. \`browser\`: the browser returns a code to the terminal on the
-- same machine. \`device\`: the user types a code from the terminal into a page. Each sign-in creates one API token.
create table terminal_sign_ins (
  id text primary key,
  flow text not null check (flow in ('browser', 'device')),
  state text not null check (state in ('pending', 'approved', 'denied', 'used')),
  secret_hash bytea not null unique check (length(secret_hash) = 32), -- of the code that the terminal redeems
  user_code text check ((user_code is not null) = (flow = 'device')), -- what the user types into the page
  challenge text check ((challenge is not null) = (flow = 'browser')), -- the PKCE challenge, by S256
  port integer check ((port is not null) = (flow = 'browser')), -- where the terminal waits, on 127.0.0.1
  name text not null, -- of the token
  scope text not null check (scope in ('cli', 'provisioning', 'readonly')),
  federation_ids text[], -- of the token; null: no limit
  token_expires_at timestamptz(3),
  ip text not null, -- of the terminal for \`device\`, else of the browser
  user_agent text not null,
  session_id text references sessions (id) on delete cascade, -- of the user who decided; if it ends, so does the sign-in
  created_at timestamptz(3) not null default wheelwright_now(),
  expires_at timestamptz(3) not null,
  polled_at timestamptz(3) -- when the terminal last asked
);
create unique index terminal_sign_ins_by_user_code on terminal_sign_ins (user_code) where state = 'pending';
create index terminal_sign_ins_by_expiry on terminal_sign_ins (expires_at);
create index terminal_sign_ins_of_session on terminal_sign_ins (session_id);
`,
  ],
  [
    "0044_add_passkeys",
    `\
-- Passkeys (WebAuthn) as second factors and as sign-in without a password. A challenge works once, within 5 minutes,
-- and only for the session, pending sign-in or browser that requested it. Challenges are stored as hashes.
alter table factors add column credential_id bytea; -- null until the passkey is registered
alter table factors add column public_key bytea; -- SubjectPublicKeyInfo in DER
alter table factors add column sign_count bigint;
create unique index factors_by_credential on factors (credential_id);

create table passkey_challenges (
  challenge_hash bytea primary key check (length(challenge_hash) = 32),
  purpose text not null check (purpose in ('register', 'sign-in', 'second-factor', 'confirm')),
  binding text not null,
  created_at timestamptz(3) not null default wheelwright_now()
);
create index passkey_challenges_by_age on passkey_challenges (created_at);
`,
  ],
];
