-- A notification is a customer-visible audit event. These tables store which notifications each user has read, and
-- counts that give the number of unread notifications without counting events.

-- Has no foreign key to audit_events: events are never deleted, and the key would lock a row of the log for each event read.
create table notification_reads (
  user_id text not null,
  event_id text not null,
  read_at timestamptz(3) not null,
  primary key (user_id, event_id)
);

-- The number of events of each object that a user has read. `about` is a hub (including its spokes), a spoke, the service
-- (events without a hub), an audience (decisions on the user's own requests, by hub and spoke), or all events.
create table notification_read_counts (
  user_id text not null references users (id),
  about text not null check (about in ('all', 'service', 'hub', 'spoke', 'audience')),
  federation_id text not null default '',
  spoke_id text not null default '',
  reads bigint not null default 0 check (reads >= 0),
  -- All visible events up to this time are read. A search for unread events starts here.
  read_through timestamptz(3) not null default '-infinity',
  -- Events up to this time are from before the user's membership. They count as read, and are part of `reads`.
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
