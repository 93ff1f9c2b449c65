-- What a backup is of, so that a site can be made from it when its spoke is of another version by then, or gone: the version
-- of its platform, the images {moodle, postgres, fpmDirectory}, and Moodle's own identifier of the site. Null of what was
-- taken before this was noted: that counts as its spoke's.
alter table backups add column lms_version text, add column images jsonb, add column site_identifier text;

-- The backup that a spoke's site is made from in place of an installation.
alter table spokes add column from_backup text;
