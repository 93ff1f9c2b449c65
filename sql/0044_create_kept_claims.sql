-- Volume claims in a spoke's namespace that its site does not use, until they are deleted: the ones that a restore has
-- replaced, which are the way back, and the ones that a restore made in vain. A row goes with its claim, or when the site
-- uses the claim again; from removing_since on it is no way back any more.
create table kept_claims (
  spoke_id text not null references spokes (id),
  claim text not null,
  -- Null of one that was made in vain: its name is its own for good, and it may never have come to be.
  uid text,
  operation_id text not null,
  why text not null check (why in ('replaced', 'in vain')),
  since timestamptz(3) not null default wheelwright_now(),
  until timestamptz(3) not null,
  removing_since timestamptz(3),
  primary key (spoke_id, claim),
  check (why <> 'replaced' or uid is not null)
);
create index kept_claims_by_end on kept_claims (until);
