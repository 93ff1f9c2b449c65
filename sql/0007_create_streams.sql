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
