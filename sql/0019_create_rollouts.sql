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
