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
