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
