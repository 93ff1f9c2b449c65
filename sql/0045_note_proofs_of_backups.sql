-- Proofs that a backup restores: drills make a throw-away site from it, and look what is in there. `counts` is what was counted
-- right before and right after it was taken, {before, after} with {courses, users} each; null where nothing was. `drill_id` is
-- the job that tried it last. Either it proved the backup, and `proof` is {courses, users, seconds, compared}; or proof_error
-- says why it did not.
alter table backups
  add column counts jsonb,
  add column drill_id text,
  add column proved_at timestamptz(3),
  add column proof jsonb,
  add column proof_error text,
  add constraint backups_are_proved_with_a_proof check ((proved_at is null) = (proof is null)) not valid;

-- When the next drill is due, as backup_due_at; when a backup of the spoke was proved last, and since when none could be: null
-- where the last one tried was proved, or none was.
alter table spokes
  add column drill_due_at timestamptz(3),
  add column proved_at timestamptz(3),
  add column unproved_since timestamptz(3);
