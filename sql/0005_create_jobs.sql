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
