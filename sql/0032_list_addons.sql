-- The add-ons that each site last reported, which usage.php lists once an hour.
alter table spoke_usage add column addons_at timestamptz(3); -- when the site listed them; null: it has not reported any list yet
alter table spoke_usage add column addon_count integer; -- the number of all add-ons; a report has room for about 100

-- Rows of removed spokes are deleted with their rows in live_spokes.
create table spoke_addons (
  spoke_id text not null references live_spokes (spoke_id) on delete cascade,
  component text not null, -- such as mod_attendance
  version double precision not null, -- Moodle's number, such as 2024101100
  enabled boolean not null,
  federation_id text not null, -- of the spoke, like created_at, for pages of spokes in the order of the list
  created_at timestamptz(3) not null,
  primary key (spoke_id, component)
);
create index spoke_addons_newest on spoke_addons (component, created_at desc, spoke_id desc);
create index spoke_addons_of_hub on spoke_addons (federation_id, component, created_at desc, spoke_id desc);
