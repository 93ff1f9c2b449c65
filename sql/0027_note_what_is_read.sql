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
