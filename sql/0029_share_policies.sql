-- What a hub shares with its spokes. The newest versions are a column of the hub's row, like everything else that the
-- hub's record in the cluster contains; the table has the history, so that an old version can be made the newest again.
alter table federations add column policy jsonb; -- null: nothing was ever shared
alter table spokes add column policy jsonb; -- the spoke's own values and exclusions; null: it has none

create table policy_versions (
  federation_id text not null references federations (id),
  section text not null,
  version integer not null check (version >= 1),
  values jsonb not null,
  overridable text[] not null, -- the fields that spokes may override
  changed_at timestamptz(3) not null default wheelwright_now(),
  changed_by text not null, -- the email address of the user; accounts may change theirs later
  primary key (federation_id, section, version)
);
