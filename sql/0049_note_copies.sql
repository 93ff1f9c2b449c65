-- The spoke that this one was made a copy of, where it is one; the backup is from_backup (0043). A site's mail is held where
-- nobody has said yet that it may write to people: it is a copy, and they are the other site's. As with title and domain, the
-- column is the wish, and the inputs say what is in force.
alter table spokes
  add column copy_of text references spokes (id),
  add column mail text not null default 'on' constraint spokes_mail_is_on_or_held check (mail in ('on', 'held'));
