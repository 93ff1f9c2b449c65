/** Written by `npm run generate`; commit it, do not edit it. */
import type { Migration } from "#lib/drivers/db/compare-schema.ts";

export const migrations: readonly Migration[] = [
  [
    "0001_create_clock",
    `\
-- The one clock. Every timestamp the service writes or judges by comes from wheelwright_now(), so that replicas
-- whose own clocks differ agree, and so that a test can move time by a row in clock_shift. In production that
-- table is empty. Milliseconds, because the wire has milliseconds: a finer value would skip rows when paging.
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
-- Who may act: people, their browser sessions and their API tokens. Of a secret only its hash is kept.
create table users (
  id text primary key,
  email text not null check (email = lower(email)),
  display_name text not null,
  password_hash text,
  operator boolean not null default false,
  email_verified_at timestamptz(3),
  disabled_at timestamptz(3),
  created_at timestamptz(3) not null default wheelwright_now(),
  updated_at timestamptz(3) not null default wheelwright_now()
);
create unique index users_one_per_email on users (email);

create table sessions (
  id text primary key,
  user_id text not null references users (id),
  token_hash bytea not null unique check (length(token_hash) = 32),
  ip text not null,
  user_agent text not null,
  created_at timestamptz(3) not null default wheelwright_now(),
  seen_at timestamptz(3) not null default wheelwright_now(),
  ended_at timestamptz(3)
);
create index sessions_live_of_user on sessions (user_id) where ended_at is null;

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
`,
  ],
  [
    "0003_create_federations",
    `\
-- Hubs, and who administers them. A removed hub keeps its row: its history refers to it, and its slug is free again.
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
  namespace text not null unique,
  namespace_uid text,
  created_by text not null references users (id),
  created_at timestamptz(3) not null default wheelwright_now(),
  updated_at timestamptz(3) not null default wheelwright_now(),
  ready_at timestamptz(3),
  removed_at timestamptz(3),
  check ((state = 'removed') = (removed_at is not null))
);
create unique index federations_one_live_slug on federations (slug) where state <> 'removed';

create table federation_members (
  federation_id text not null references federations (id),
  user_id text not null references users (id),
  created_at timestamptz(3) not null default wheelwright_now(),
  primary key (federation_id, user_id)
);
create index federation_members_of_user on federation_members (user_id);
`,
  ],
  [
    "0004_create_spokes",
    `\
-- Spokes: one Moodle each, in a namespace whose name is never used twice. The namespace's uid is kept, so that a
-- late call can never touch another's; blueprint_revision and blueprint_inputs are what the spoke was made from.
create table spokes (
  id text primary key,
  federation_id text not null references federations (id),
  slug text not null,
  display_name text not null,
  domain text not null check (domain = lower(domain)),
  size text not null,
  identity boolean not null default false,
  content boolean not null default false,
  content_mode text,
  brand text,
  admin_email text not null,
  region text,
  lms_version text not null,
  seed text,
  state text not null check (state in ('provisioning', 'active', 'failed', 'suspending', 'suspended', 'resuming',
    'updating', 'removing', 'removed')),
  state_reason text,
  health text not null default 'unknown' check (health in ('healthy', 'degraded', 'unknown')),
  cluster text not null,
  namespace text not null unique,
  namespace_uid text,
  blueprint_revision text not null,
  blueprint_inputs jsonb not null,
  site_identifier text,
  drift jsonb,
  visible_events bigint not null default 0,
  created_by text not null references users (id),
  created_at timestamptz(3) not null default wheelwright_now(),
  updated_at timestamptz(3) not null default wheelwright_now(),
  ready_at timestamptz(3),
  observed_at timestamptz(3),
  removed_at timestamptz(3),
  check ((state = 'removed') = (removed_at is not null))
);
create unique index spokes_one_live_slug on spokes (federation_id, slug) where state <> 'removed';
create unique index spokes_one_live_domain on spokes (domain) where state <> 'removed';
create index spokes_of_federation on spokes (federation_id, created_at desc, id desc);

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
-- One engine, one table. A job that people can see (visible) is an operation; mail, sweeps and pruning are jobs
-- without being operations. A row's holder is the replica that runs it; its fence grows with every claim, and every
-- write of a holder names its fence, so that a holder which was given up for dead can change nothing any more.
--
--            claim                    finish
--   queued ---------> running ----------------------> succeeded | failed | cancelled
--      ^                 |
--      +--- try again ---+      (transient error, shutdown; a dead holder's job is claimed in place)
create table replicas (
  id text primary key,
  release text not null,
  started_at timestamptz(3) not null default wheelwright_now(),
  beat_at timestamptz(3) not null default wheelwright_now(),
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
  attempt integer not null default 0,
  time_limit_ms bigint not null check (time_limit_ms > 0),
  deadline_at timestamptz(3),
  fence bigint not null default 0,
  holder text references replicas (id),
  plan integer not null,
  step_names text[] not null,
  steps_done text[] not null default '{}',
  label text not null,
  payload jsonb not null default '{}',
  progress jsonb not null default '{}',
  failure jsonb,
  dedupe_key text,
  cancel_requested_at timestamptz(3),
  asker_id text not null,
  asker_email text not null,
  asker_ip text not null,
  asker_agent text not null,
  asker_token text,
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
create index jobs_due on jobs (run_at, seq) where state = 'queued';
create index jobs_of_lane on jobs (lane, seq) where state = 'queued';
create index jobs_held on jobs (holder) where state = 'running';
create index jobs_of_spoke on jobs (spoke_id, created_at desc, seq desc) where visible;
create index jobs_of_federation on jobs (federation_id, created_at desc, seq desc) where visible;
create index jobs_durations on jobs (kind, finished_at desc) where state = 'succeeded' and visible;
`,
  ],
  [
    "0006_create_audit_events",
    `\
-- The audit log: append-only, and the database says so itself. Federation, spoke, audience and visibility stand on
-- the row, so that what a caller may see is decided by an index and by nothing that can change later.
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
  customer_visible boolean not null
);
create index audit_events_newest on audit_events (at desc, id desc);
create index audit_events_of_spoke on audit_events (spoke_id, at desc, id desc);
create index audit_events_of_federation on audit_events (federation_id, at desc, id desc);
create index audit_events_of_object on audit_events (object_id, at desc, id desc);

create function refuse_audit_change() returns trigger language plpgsql
as $$ begin raise exception 'audit_events is append-only' using errcode = 'insufficient_privilege'; end $$;

create trigger audit_events_append_only before update or delete on audit_events
  for each row execute function refuse_audit_change();
create trigger audit_events_no_truncate before truncate on audit_events
  for each statement execute function refuse_audit_change();
`,
  ],
  [
    "0007_create_streams",
    `\
-- The event stream of each hub. The narrow head row is locked last in a transaction that writes an event: so numbers
-- have no gap and are in commit order (a plain sequence is neither), and "at" grows by at least 1 ms in a hub.
-- Pruning removes events up to pruned_through, but for the latest of each thing that still lives.
create table stream_heads (
  federation_id text primary key references federations (id),
  number bigint not null default 0,
  last_at timestamptz(3) not null default wheelwright_now(),
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
`,
  ],
  [
    "0008_create_idempotency_keys",
    `\
-- What a creation with an Idempotency-Key answered. The row is written in the creating transaction, so a concurrent
-- caller with the same key waits at the primary key until the first one has committed or is gone.
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
    "0009_create_audit_seals",
    `\
-- How far each chain of the audit log is sealed, and the hash of all of it (lib/audit/chain.ts says of what). A chain is
-- a hub's id, or 'system' for the events of no hub. last_at and last_id are the last sealed event's: sealing goes on
-- behind it, in the order (at, id). A seal only moves forward; that holds off mistakes and not whoever owns the
-- database, against whom nothing but a head that was exported elsewhere helps.
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
`,
  ],
  [
    "0010_create_one_time_tokens",
    `\
-- The links of invitations, password resets and proofs of an address.
--
-- Of a link's secret only the hash is kept, and the secret is made when the mail goes out: so no plaintext ever lies in
-- the queue. A mail that must be sent again gets a secret of its own, as the first may have arrived all the same; each
-- of them opens the same row, and using one uses up the row.
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
create index one_time_tokens_by_age on one_time_tokens (expires_at);
`,
  ],
  [
    "0011_create_federation_requests",
    `\
-- Requests for hubs: anybody with a proven address asks, an operator decides. A row stays as it was asked; what became
-- of it stands beside that, and the hub that was made of it, which the operator may have named otherwise.
--
--              approve        approved
--   pending ------------+---> rejected
--              reject   |
--              withdraw +---> withdrawn   (by who asked, as a rule)
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
create unique index federation_requests_one_pending_per_slug on federation_requests (slug) where state = 'pending';
create index federation_requests_newest on federation_requests (created_at desc, id desc);
create index federation_requests_of_user on federation_requests (requested_by, created_at desc, id desc);
create index federation_requests_of_state on federation_requests (state, created_at desc, id desc);
`,
  ],
  [
    "0012_create_notification_reads",
    `\
-- Notifications: which customer-visible events each user has read, and the counts that tell what is unread without
-- counting events. A notification itself is a row of the audit log.
--
-- notification_reads has no foreign key to the log: an event is never removed, and a reference would lock, and with that
-- write to, a row of the log for each event that is read. The counts are written in the transaction that writes the
-- rows, and refer to the user for both.
create table notification_reads (
  user_id text not null,
  event_id text not null,
  read_at timestamptz(3) not null,
  primary key (user_id, event_id)
);

-- How many events of each object a user has read: of a hub (its spokes' too), of a spoke, of no hub (loose), of those
-- that a decision on the user's own request wrote (audience, by the hub and spoke that they are about), and of all.
-- Everything visible of the object up to read_through is read, so that a search for the unread goes back no further.
create table notification_read_counts (
  user_id text not null references users (id),
  about text not null check (about in ('all', 'loose', 'hub', 'spoke', 'audience')),
  federation_id text not null default '',
  spoke_id text not null default '',
  reads bigint not null default 0 check (reads >= 0),
  read_through timestamptz(3) not null default '-infinity',
  primary key (user_id, about, federation_id, spoke_id),
  check ((federation_id <> '') = (about = 'hub') or about = 'audience'),
  check ((spoke_id <> '') = (about = 'spoke') or about = 'audience')
);

-- Visible events are counted for each hub in stream_heads and for each spoke in spokes. These are the others: those of no
-- hub (with the time of the last), and those with an audience, by the hub and spoke that they are about ('' for none), because who administers these
-- sees the event there and must not see it twice.
create table loose_heads (
  only_row boolean primary key default true check (only_row),
  visible_events bigint not null default 0,
  last_at timestamptz(3) not null default '-infinity'
);
create table notification_audiences (
  user_id text not null references users (id),
  federation_id text not null default '',
  spoke_id text not null default '',
  visible_events bigint not null default 0,
  primary key (user_id, federation_id, spoke_id)
);

-- The newest visible events: of all, of a hub or of none, of a spoke, of an audience. What is not visible is left out:
-- a hub may have a thousand nightly backups between two events that its people are told of. The id is in them, so that
-- a search for unread ones need not look at the events themselves.
create index audit_events_visible on audit_events (at desc) include (id) where customer_visible;
create index audit_events_visible_of_federation on audit_events (federation_id, at desc) include (id)
  where customer_visible;
create index audit_events_visible_of_spoke on audit_events (spoke_id, at desc) include (id)
  where customer_visible and spoke_id is not null;
create index audit_events_visible_to_audience on audit_events
  (audience_user_id, coalesce(federation_id, ''), coalesce(spoke_id, ''), at desc) include (id)
  where customer_visible and audience_user_id is not null;

insert into loose_heads (visible_events, last_at)
  select count(*), coalesce(max(at), '-infinity') from audit_events where customer_visible and federation_id is null;
insert into notification_audiences (user_id, federation_id, spoke_id, visible_events)
  select audience_user_id, coalesce(federation_id, ''), coalesce(spoke_id, ''), count(*)
  from audit_events where customer_visible and audience_user_id is not null group by 1, 2, 3;
`,
  ],
  [
    "0013_index_audit_questions",
    `\
-- The audit log's filters, each answered by an index in the order in which it is shown, so that a page costs the same
-- however long the log has grown. The id, which only orders events of one millisecond, is left out: it would
-- double the size.
create index audit_events_of_kind on audit_events (kind, at desc);
create index audit_events_of_actor on audit_events (actor_id, at desc);
create index audit_events_of_object_type on audit_events (object_type, at desc);
`,
  ],
  [
    "0014_index_users",
    `\
-- For the operators' list of users, newest first, and for when somebody was invited last, where invitations that were
-- taken back count too.
create index users_newest on users (created_at desc, id desc);
create index one_time_tokens_of_user on one_time_tokens (user_id, purpose, created_at desc);
`,
  ],
  [
    "0015_note_onboarding",
    `\
-- When a user finished the wizard that greets a new one; null until then. It is finished once, for in it a password is
-- set without the old one.
alter table users add column onboarded_at timestamptz(3);
`,
  ],
  [
    "0016_note_maintenance",
    `\
-- Whether a site is in maintenance because somebody asked for that: then its login page answers 503, its scheduled tasks
-- are paused, and what looks at it must not take either for a failure.
alter table spokes add column maintenance boolean not null default false;
`,
  ],
  [
    "0017_create_backups",
    `\
-- Backups: snapshots of both volumes of a spoke, taken together by one operation. A row outlives the spoke's namespace, and
-- so do the snapshots' contents, whose names and handles are in \`volumes\`: with them an operator can restore a spoke that is
-- gone. Each volume is {claim, snapshot, snapshotUid, content, handle, driver, class, restoreSize}, as far as it is known.
--
--   pending --> ready ----> deleted      by the retention rule alone; removing_since says that this has begun, from when on
--      |                       ^         it is no good backup any more
--      +-----> failed ---------+         what an attempt left behind
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
  told boolean not null default false,
  created_at timestamptz(3) not null default wheelwright_now(),
  ready_at timestamptz(3),
  failed_at timestamptz(3),
  removing_since timestamptz(3),
  deleted_at timestamptz(3),
  check (state <> 'ready' or ready_at is not null),
  check (state <> 'failed' or failed_at is not null),
  check ((state = 'deleted') = (deleted_at is not null)),
  check (kind <> 'last' or removing_since is null)
);
create index backups_of_spoke on backups (spoke_id, created_at desc, id desc);
create index backups_standing on backups (spoke_id, created_at desc) where state <> 'deleted';
create index backups_failed on backups (spoke_id, failed_at desc) where failed_at is not null;
create index backups_pending on backups (operation_id) where state = 'pending';

-- What was last seen of the snapshot classes of each cluster that retain what they took: [{name, driver}], null until it was
-- seen. Whoever asks for a spoke's backups is told from here and does not wait for the cluster.
create table cluster_snapshots (
  cluster text primary key,
  classes jsonb,
  error text,
  looked_at timestamptz(3) not null default wheelwright_now()
);

-- When the next nightly backup is due. It is moved on in the transaction that queues the backup, so that there is one a night
-- however many replicas plan, and however many nights were missed.
alter table spokes add column backup_due_at timestamptz(3);
create index spokes_due_for_backup on spokes (cluster, backup_due_at) where state = 'active';
`,
  ],
  [
    "0018_count_bad_looks",
    `\
-- How often the sweep has found an active spoke unwell in a row: the third time makes it degraded. Every sweep writes the
-- rows of all active spokes, so pages keep room for a new version of a row beside the old one.
alter table spokes add column bad_looks smallint not null default 0;
alter table spokes set (fillfactor = 80);
`,
  ],
  [
    "0019_note_cluster_uid",
    `\
-- Which cluster a namespace was made in: the uid of its namespace kube-system, which no other cluster has. Another cluster
-- under the same name answers 404 for a namespace that still stands in the first, and that must not count as removed. Null
-- until the namespace is made, and in rows of earlier releases until the namespace was seen again.
alter table federations add column cluster_uid text;
alter table spokes add column cluster_uid text;
`,
  ],
  [
    "0020_create_subscriptions",
    `\
-- Billing: what each hub's subscription at the payment provider was last seen to be. A hub without a row is not billed
-- (staff made it, or no provider is connected). The provider holds the truth about money, the spokes' rows the truth about
-- what is to be paid for; this is what lies between.
--
-- \`told\` is what the provider was last asked to count, {size: quantity}; null when that is not known and is to be told anew.
-- \`items\` and \`invoice\` are what it showed since. \`difference\` is where the two part: found by looking, mended by people.
create table subscriptions (
  federation_id text primary key references federations (id),
  email text not null,
  customer_id text unique,
  subscription_id text unique,
  status text check (status in (
    'incomplete', 'incomplete_expired', 'trialing', 'active', 'past_due', 'canceled', 'unpaid', 'paused'
  )),
  currency text,
  told jsonb,
  items jsonb not null default '[]',
  invoice jsonb,
  difference jsonb,
  past_due_since timestamptz(3),
  error text,
  retry_at timestamptz(3),
  seen_at timestamptz(3),
  created_at timestamptz(3) not null default wheelwright_now(),
  updated_at timestamptz(3) not null default wheelwright_now(),
  check (subscription_id is null or customer_id is not null),
  check ((status is null) = (subscription_id is null))
);

-- Each event of the provider's webhook, once by its id, however often and in whatever order it comes. It says no more than
-- where to look: what it is about is fetched again.
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

-- Refunds that were told, each once.
create table billing_refunds (
  id text primary key,
  federation_id text not null references federations (id),
  charge_id text,
  amount bigint not null check (amount >= 0),
  currency text not null,
  created_at timestamptz(3) not null
);
`,
  ],
  [
    "0021_count_token_calls",
    `\
-- How often each token called each endpoint on each day (UTC), so that whoever is told that an endpoint ends is told whether
-- it concerns them. Replicas add to it in batches, every few seconds, and rewrite the same rows all day: hence the room in
-- its pages. Days that nobody asks for any more are pruned.
create table token_calls (
  token_id text not null references api_tokens (id) on delete cascade,
  endpoint text not null,
  day date not null,
  calls bigint not null check (calls > 0),
  primary key (token_id, endpoint, day)
) with (fillfactor = 80);
create index token_calls_by_day on token_calls (day);
`,
  ],
  [
    "0022_create_deprecation_notices",
    `\
-- Who was told of what is announced. The row is written in the transaction that queues the mail, so each is told once,
-- however many replicas tell.
create table deprecation_notices (
  notice_id text not null,
  user_id text not null references users (id),
  told_at timestamptz(3) not null default wheelwright_now(),
  primary key (notice_id, user_id)
);
`,
  ],
  [
    "0023_index_domains_backwards",
    `\
-- For whether a name below a domain is taken: backwards such names begin alike. The unique index answers for names above.
create index spokes_by_domain_backwards on spokes (reverse(domain) collate "C") where state <> 'removed';
`,
  ],
  [
    "0024_hide_origins_of_operators",
    `\
-- Whether address and program of an event are shown to operators alone, because one of them acted. It is noted when the
-- event is written, so that it stays true when somebody becomes an operator or is one no more. For events that were
-- written before, or by a release that does not know the column, nobody can tell: theirs are not shown either.
alter table audit_events add column origin_private boolean not null default true;
`,
  ],
  [
    "0025_keep_names_of_spokes",
    `\
-- Names besides the one that a spoke has: the one that it is to move to, and those that it has moved away from. These lead to
-- the present one until their time is over, and nobody else can have them as long.
alter table spokes add column wished_domain text check (wished_domain = lower(wished_domain));
create unique index spokes_one_wished_domain on spokes (wished_domain) where state <> 'removed';
create index spokes_by_wished_domain_backwards on spokes (reverse(wished_domain) collate "C")
  where state <> 'removed' and wished_domain is not null;

create table former_domains (
  domain text primary key check (domain = lower(domain)),
  spoke_id text not null references spokes (id),
  until timestamptz(3) not null
);
create index former_domains_of_spoke on former_domains (spoke_id);
create index former_domains_backwards on former_domains (reverse(domain) collate "C");
create index former_domains_by_end on former_domains (until);
`,
  ],
  [
    "0026_create_deprecation_announcements",
    `\
-- When this deployment first announced each thing. A release may be put into service long after the day that it declares, and
-- the 30 days that are promised count from the first start of a program that announces it.
create table deprecation_announcements (
  notice_id text primary key,
  first_at timestamptz(3) not null default wheelwright_now()
);
`,
  ],
  [
    "0027_note_what_is_read",
    `\
-- Two things that are read besides what somebody has marked.
--
-- What was before the reader came: everything of a hub that belongs to no spoke, or of a spoke, up to skip_through counts as
-- read, and in reads. Whoever is brought in does not begin with a history that is news to nobody.
alter table notification_read_counts add column skip_through timestamptz(3) not null default '-infinity';

-- What was read one by one, where there is more than one in a row: every visible event of the object from from_at to
-- through_at is read. A search for the unread goes from one to the next, and between two there is something unread.
create table notification_read_stretches (
  user_id text not null references users (id),
  about text not null,
  federation_id text not null,
  spoke_id text not null,
  from_at timestamptz(3) not null,
  through_at timestamptz(3) not null,
  primary key (user_id, about, federation_id, spoke_id, from_at),
  check (from_at < through_at)
);
`,
  ],
  [
    "0028_create_lane_calls",
    `\
-- A call says: in this lane there may be a job to start, from this time on. A look for work reads the first calls and no
-- more, however many jobs and lanes wait. Whatever makes a job startable adds a call in its own transaction; a look takes
-- a call away when it starts a job of the lane, or sees that none can start. Calls are only added and taken away, so
-- nobody who enqueues waits for another. Why no job is forgotten: docs/queue.md.
--
-- A call is for the replicas that know its kind; one without a kind is for all, and says that something ended.
create table lane_calls (
  id bigint generated always as identity,
  kind text not null default '',
  plan integer not null default 0,
  at timestamptz(3) not null,
  lane text not null,
  primary key (kind, plan, at, id)
) with (
  -- It is filled and emptied within moments, and PostgreSQL must not go on planning for what it was.
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 1000,
  autovacuum_analyze_scale_factor = 0,
  autovacuum_analyze_threshold = 1000
);

-- Replicas of the release before this one write jobs before the service's role is given its rights: it has them at once.
do $$
declare writer text;
begin
  for writer in select distinct grantee from information_schema.role_table_grants
    where table_schema = current_schema() and table_name = 'jobs' and privilege_type = 'INSERT'
      and grantee in (select rolname from pg_roles where rolname <> current_user)
  loop
    execute format('grant select, insert, delete on lane_calls to %I', writer);
  end loop;
end $$;

-- A trigger, so that no release and no statement typed by hand can forget it.
create function call_lanes() returns trigger language plpgsql
as $$
begin
  if new.state = 'queued' and new.lane is not null then
    insert into lane_calls (kind, plan, at, lane) values (new.kind, new.plan, new.run_at, new.lane);
  end if;
  -- What was called off, or put off, may have held its lane for all who do not know its kind.
  if tg_op = 'UPDATE' and old.state = 'queued' and new.state <> 'running' and old.lane is not null
    and (new.state <> 'queued' or new.run_at > old.run_at) then
    insert into lane_calls (at, lane) values (old.run_at, old.lane);
  end if;
  if tg_op = 'UPDATE' and old.state = 'running' and new.state <> 'running' then
    -- The place that the job had in the order, so that lanes take turns by the age of their jobs.
    if old.lane is not null then
      insert into lane_calls (at, lane) values (old.run_at, old.lane);
    end if;
    -- Other operations of the spoke waited for this one: they are in its own lane, or in its hub's.
    if old.visible and old.spoke_id is not null then
      insert into lane_calls (at, lane) select old.run_at, lane
      from unnest(array['spoke:' || old.spoke_id, 'federation:' || old.federation_id]) as lane
      where lane is not null and lane is distinct from old.lane;
    end if;
  end if;
  return null;
end $$;
create trigger jobs_call_when_added after insert on jobs
  for each row when (new.state = 'queued' and new.lane is not null) execute function call_lanes();
create trigger jobs_call_when_changed after update of state, run_at on jobs
  for each row when (old.state <> new.state or old.run_at <> new.run_at) execute function call_lanes();

-- What is in the queue already. To make the triggers took a lock that holds all writers of jobs off until the commit.
insert into lane_calls (kind, plan, at, lane) select kind, plan, run_at, lane from jobs
  where state = 'queued' and lane is not null order by seq;
`,
  ],
  [
    "0029_call_lanes_of_active_hubs",
    `\
-- Installs wait in the hub's lane for the hub to be active: then there is a call (0028). By itself, so that no migration
-- waits for the lock of one table while it holds another's, which transactions under way take in another order.
create function call_hub_lane() returns trigger language plpgsql
as $$
begin
  insert into lane_calls (at, lane) values (wheelwright_now(), 'federation:' || new.id);
  return null;
end $$;
create trigger federations_call_when_active after update of state on federations
  for each row when (old.state <> new.state and new.state = 'active') execute function call_hub_lane();
`,
  ],
  [
    "0030_index_loose_jobs",
    `\
-- concurrently
-- Jobs without a lane have no calls (0028): they are looked for directly.
create index concurrently if not exists jobs_loose on jobs (run_at, seq) where state = 'queued' and lane is null;
`,
  ],
  [
    "0031_drop_jobs_due",
    `\
-- Calls (0028) and jobs_loose answer what this index answered.
drop index jobs_due;
`,
  ],
  [
    "0032_index_live_operations",
    `\
-- concurrently
-- Whether a spoke is busy, whatever it has done before.
create index concurrently if not exists jobs_live_of_spoke on jobs (spoke_id)
  where visible and state in ('queued', 'running');
`,
  ],
  [
    "0033_index_skipped_history",
    `\
-- concurrently
-- Whether a reader skips any history: asked for each list of unread notifications, and true of few rows.
create index concurrently if not exists notification_read_counts_skipping on notification_read_counts (user_id)
  where skip_through > '-infinity';
`,
  ],
  [
    "0034_index_audit_of_hubs_by_kind",
    `\
-- concurrently
-- In place of audit_events_of_federation: a page of one kind is found in the index alone.
create index concurrently if not exists audit_events_of_hub on audit_events (federation_id, at desc, kind);
`,
  ],
  [
    "0035_drop_audit_of_federations",
    `\
-- 0034 has what is read by it. The id, which orders events of one millisecond, is sorted where that is asked.
drop index audit_events_of_federation;
`,
  ],
  [
    "0036_index_audit_of_people_by_kind",
    `\
-- concurrently
-- In place of audit_events_of_actor, as 0034.
create index concurrently if not exists audit_events_of_person on audit_events (actor_id, at desc, kind);
`,
  ],
  [
    "0037_drop_audit_of_actors",
    `\
-- 0036 has what is read by it.
drop index audit_events_of_actor;
`,
  ],
  [
    "0038_index_ended_jobs",
    `\
-- concurrently
-- What is over, by age: for pruning. A job comes into it once, when it ends.
create index concurrently if not exists jobs_ended on jobs (visible, finished_at) where finished_at is not null;
`,
  ],
  [
    "0039_index_deleted_backups",
    `\
-- concurrently
-- Nightly backups that were good and have had their time, by age: for pruning.
create index concurrently if not exists backups_pruned_by_age on backups (deleted_at)
  where state = 'deleted' and kind = 'nightly' and ready_at is not null;
`,
  ],
  [
    "0040_index_ended_sessions",
    `\
-- concurrently
-- For pruning.
create index concurrently if not exists sessions_ended on sessions (ended_at) where ended_at is not null;
`,
  ],
  [
    "0041_index_sessions_by_age",
    `\
-- concurrently
-- For pruning. seen_at would be written with each use.
create index concurrently if not exists sessions_by_age on sessions (created_at);
`,
  ],
  [
    "0042_note_ends_of_steps",
    `\
-- When each step of a job ended, by the step's name; the last one ends with the job. By name and not in the order of
-- steps_done: an older release beside this one adds to that alone, and the end of such a step is unknown and nothing else.
alter table jobs add column step_ends jsonb not null default '{}';
`,
  ],
  [
    "0043_note_what_backups_are_of",
    `\
-- What a backup is of, so that a site can be made from it when its spoke is of another version by then, or gone: the version
-- of its platform, the images {moodle, postgres, fpmDirectory}, and Moodle's own identifier of the site. Null of what was
-- taken before this was noted: that counts as its spoke's.
alter table backups add column lms_version text, add column images jsonb, add column site_identifier text;

-- The backup that a spoke's site is made from in place of an installation.
alter table spokes add column from_backup text;
`,
  ],
  [
    "0044_create_kept_claims",
    `\
-- Volume claims in a spoke's namespace that its site does not use, until they are deleted: the ones that a restore has
-- replaced, which are the way back, and the ones that a restore made in vain. A row goes with its claim, or when the site
-- uses the claim again; from removing_since on it is no way back any more.
create table kept_claims (
  spoke_id text not null references spokes (id),
  claim text not null,
  -- Null of one that was made in vain: its name is its own for good, and it may never have come to be.
  uid text,
  operation_id text not null,
  why text not null check (why in ('replaced', 'in vain')),
  since timestamptz(3) not null default wheelwright_now(),
  until timestamptz(3) not null,
  removing_since timestamptz(3),
  primary key (spoke_id, claim),
  check (why <> 'replaced' or uid is not null)
);
create index kept_claims_by_end on kept_claims (until);
`,
  ],
  [
    "0045_note_proofs_of_backups",
    `\
-- Proofs that a backup restores: drills make a throw-away site from it, and look what is in there. \`counts\` is what was counted
-- right before and right after it was taken, {before, after} with {courses, users} each; null where nothing was. \`drill_id\` is
-- the job that tried it last. Either it proved the backup, and \`proof\` is {courses, users, seconds, compared}; or proof_error
-- says why it did not.
alter table backups
  add column counts jsonb,
  add column drill_id text,
  add column proved_at timestamptz(3),
  add column proof jsonb,
  add column proof_error text,
  add constraint backups_are_proved_with_a_proof check ((proved_at is null) = (proof is null)) not valid;

-- When the next drill is due, as backup_due_at; when a backup of the spoke was proved last, and since when none could be: null
-- where the last one tried was proved, or none was.
alter table spokes
  add column drill_due_at timestamptz(3),
  add column proved_at timestamptz(3),
  add column unproved_since timestamptz(3);
`,
  ],
  [
    "0046_index_spokes_due_for_drills",
    `\
-- concurrently
create index concurrently if not exists spokes_due_for_drill on spokes (cluster, drill_due_at) where state = 'active';
`,
  ],
  [
    "0047_index_held_backups",
    `\
-- concurrently
-- Backups that work under way needs, which retention therefore leaves.
create index concurrently if not exists jobs_holding_backups on jobs ((payload ->> 'backupId'))
  where state in ('queued', 'running') and payload ->> 'backupId' is not null;
`,
  ],
  [
    "0048_create_templates",
    `\
-- Templates: pristine installations that new sites are made from in place of one of their own, a pair of snapshots each, for
-- each cluster, version, images, blueprint and storage class there is a need for. \`volumes\` is as a backup's.
--
--   making --> ready ---+--> retiring --> (no row)   nothing needs it any more; its snapshots go, then its row
--     ^  |       |      |
--     |  v       v      |
--     +- failed <-------+    none could be made, or no site from it; failures says how often, next_try_at when one is next made
--
-- An id is that of one making: who makes a template anew gives the row another.
create table templates (
  id text primary key,
  cluster text not null,
  -- The cluster's identity; '' where it cannot be told, and so for the storage class that the cluster has as its default.
  cluster_uid text not null,
  version text not null,
  moodle_image text not null,
  postgres_image text not null,
  revision text not null,
  storage_class text not null,
  state text not null default 'making' check (state in ('making', 'ready', 'failed', 'retiring')),
  volumes jsonb not null default '[]',
  failures integer not null default 0,
  error text,
  next_try_at timestamptz(3),
  created_at timestamptz(3) not null default wheelwright_now(),
  ready_at timestamptz(3),
  last_used_at timestamptz(3),
  check (state <> 'ready' or ready_at is not null),
  check (state <> 'failed' or (error is not null and next_try_at is not null)),
  constraint templates_one_of_each unique
    (cluster, cluster_uid, version, moodle_image, postgres_image, revision, storage_class)
);

-- The template that a spoke's site was made from, or is being made from; given_up says why that came to nothing, until what
-- was begun is cleared away. A template is retired only when no operation is under way that makes a site from it.
create table template_uses (
  spoke_id text primary key references spokes (id),
  template_id text not null,
  turn text not null,
  given_up text,
  taken_at timestamptz(3) not null default wheelwright_now()
);
create index template_uses_of on template_uses (template_id);
`,
  ],
  [
    "0049_note_copies",
    `\
-- The spoke that this one was made a copy of, where it is one; the backup is from_backup (0043). A site's mail is held where
-- nobody has said yet that it may write to people: it is a copy, and they are the other site's. As with title and domain, the
-- column is the wish, and the inputs say what is in force.
alter table spokes
  add column copy_of text references spokes (id),
  add column mail text not null default 'on' constraint spokes_mail_is_on_or_held check (mail in ('on', 'held'));
`,
  ],
  [
    "0050_index_copies_under_way",
    `\
-- concurrently
-- Spokes that are still to be made from a backup, which retention therefore leaves.
create index concurrently if not exists spokes_to_be_made_from on spokes (from_backup)
  where from_backup is not null and ready_at is null and state <> 'removed';
`,
  ],
  [
    "0051_wait_for_operations",
    `\
-- An operation may wait in the queue for another one: \`awaits\` is the other's id. When that has ended, its time has come, and
-- its lane is called, as at each change of run_at (0028). Who begins to wait looks at the other one under a lock that its end
-- takes as well, so that no end is missed.
alter table jobs add column awaits text;

create function call_awaiting() returns trigger language plpgsql
as $$
begin
  update jobs set run_at = wheelwright_now() where state = 'queued' and awaits = new.id and run_at > wheelwright_now();
  return null;
end $$;
create trigger jobs_call_awaiting after update of state on jobs
  for each row when (new.visible and old.state in ('queued', 'running') and new.state in ('succeeded', 'failed', 'cancelled'))
  execute function call_awaiting();
`,
  ],
  [
    "0052_index_waiting_operations",
    `\
-- concurrently
create index concurrently if not exists jobs_awaiting on jobs (awaits) where state = 'queued' and awaits is not null;
`,
  ],
  [
    "0053_note_traces_of_jobs",
    `\
-- Which trace a job belongs to: a traceparent, and behind a space its tracestate, as they were when it was asked for. Null for
-- what the service does by itself: that begins a trace, whose ids follow from the job's. It is read as strictly as a header.
alter table jobs add column trace text;
`,
  ],
  [
    "0054_note_particulars",
    `\
-- The particulars of hubs and spokes stand in their namespaces too, so that what was made after a backup of this database can be
-- taken up again where the database is restored from it. \`installation\` tells one control plane from another in the same
-- cluster: particulars are signed with its key. recorded_at is the updated_at of the row as its namespace has it.
create table installation (
  only_row boolean primary key default true check (only_row),
  id text not null,
  key text not null
);
insert into installation (id, key) values (
  'ins_' || left(replace(gen_random_uuid()::text, '-', ''), 16),
  replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '')
);
alter table federations add column recorded_at timestamptz(3);
alter table spokes add column recorded_at timestamptz(3);
`,
  ],
  [
    "0055_note_what_migrations_need",
    `\
-- What a program must know to work on a migration that takes something away, for programs older than that migration: the name
-- of an earlier one. Null of all that only add.
alter table migrations add column if not exists needs text;
`,
  ],
  [
    "0057_hold_restored_databases",
    `\
-- The times to which this database was taken back. Until released_at is set it is held: it may be older than the clusters,
-- so nothing is done in them before an operator has compared the two.
create table database_restores (
  restored_at timestamptz(3) primary key default wheelwright_now(),
  -- When the backup was taken.
  taken_at timestamptz(3) not null,
  released_at timestamptz(3)
);
`,
  ],
  [
    "0058_date_restored_rows",
    `\
-- The updated_at that a row had in the backup that its database was restored from: what is asked for while that is held makes
-- it no newer than the cluster. Null where no database is held.
alter table federations add column as_of timestamptz(3);
alter table spokes add column as_of timestamptz(3);
`,
  ],
  [
    "0073_note_refused_mail",
    `\
-- Why the mail server of a user's address refused the last mail for good, in the server's words; null when it took the last one.
-- Without it an invitation to a mistyped address looks open until it expires.
alter table users
  add column mail_refused text,
  add constraint users_have_a_short_refusal check (length(mail_refused) <= 500) not valid;
`,
  ],
  [
    "0074_create_restore_requests",
    `\
-- Requests that an operator restore a spoke from a backup: admins of a hub ask, and restoring is an operator's work.
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
    "0076_record_image_digests",
    `\
-- An image is named by a tag, which its publisher can move. image_digest is the image that ran after the installation or the last
-- upgrade, restore or reapply, as the node reported it: \`repository@sha256:…\`, or \`sha256:…\` for an image without a registry.
alter table spokes
  add column image_digest text,
  add constraint spokes_have_a_short_image_digest check (length(image_digest) <= 400) not valid;
`,
  ],
  [
    "0077_count_audit_events",
    `\
-- How many events each chain of the audit log has received since first_at. \`audit verify\` compares it with the rows, so it
-- finds events that were deleted or added before they were sealed. A chain is named as in audit_seals. Where events are
-- older than this migration, first_at is the time of the first newer one: to count the older ones would hold up writers for
-- as long as the log is read. For every other chain it is -infinity.
--
-- A trigger counts, because the last release may still write while this one runs. Writers of one chain already wait for
-- each other, so the chain's row adds no wait. A count only grows: that prevents mistakes, but the owner of the tables can
-- disable the triggers.
create table audit_counts (
  chain text primary key,
  events bigint not null check (events > 0),
  first_at timestamptz(3) not null
);

create function count_audit_events() returns trigger language plpgsql
as $$
declare
  added record;
begin
  for added in
    select federation_id, coalesce(federation_id, 'system') as chain, count(*) as events, min(at) as at
    from written group by federation_id order by 2
  loop
    update audit_counts set events = events + added.events where chain = added.chain;
    continue when found;
    insert into audit_counts as counted (chain, events, first_at)
      select added.chain, added.events, case
        when exists (select from audit_events where federation_id = added.federation_id and at < added.at) then added.at
        when added.federation_id is null
          and exists (select from audit_events where federation_id is null and at < added.at) then added.at
        else '-infinity' end
      on conflict (chain) do update set events = counted.events + excluded.events;
  end loop;
  return null;
end
$$;

create trigger audit_events_counted after insert on audit_events referencing new table as written
  for each statement execute function count_audit_events();

create function refuse_count_change() returns trigger language plpgsql
as $$
begin
  if tg_op = 'UPDATE' and new.chain = old.chain and new.first_at = old.first_at and new.events > old.events then
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
];
