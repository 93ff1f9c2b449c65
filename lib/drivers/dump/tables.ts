/**
 * What of each table a backup of the database has, and what is done with it before anybody works with the restored one.
 * A table that stands in the schema and not here does not compile.
 */
import type { Schema } from "#lib/drivers/db/schema.ts";

interface Return {
  /** Whether a backup has its rows. */
  readonly kept: boolean;
  /** What a restore changes in them: a statement. */
  readonly mend: string | null;
}

/**
 * Greater than any number that was given out since the backup, also by a database that was restored from the same one before:
 * nobody gives out as many as a clock milliseconds. An expression.
 */
export const LATER = "(extract(epoch from transaction_timestamp()) * 1000)::bigint";

/** As it was. */
const whole: Return = { kept: true, mend: null };
/** Not in a backup. */
const left: Return = { kept: false, mend: null };
const mended = (mend: string): Return => ({ kept: true, mend });
/** How old its rows are stays known, whatever is asked for while the database is held. */
const dated = (table: string): Return => mended(`update ${table} set as_of = coalesce(as_of, updated_at)`);

/** Statements run in this order, with the triggers of the tables. */
export const RETURNS: Readonly<Record<keyof Schema, Return>> = {
  // It is the same one: what it has signed in the clusters is its own.
  installation: whole,
  // Shifts the clock in tests alone.
  clock_shift: whole,
  users: whole,
  // One that has been ended since would be alive again: people sign in anew.
  sessions: left,
  // One that was revoked since is good again, which docs/restoring.md says; without theirs all programs would stand still.
  api_tokens: whole,
  federations: dated("federations"),
  federation_members: whole,
  spokes: dated("spokes"),
  former_domains: whole,
  spoke_members: whole,
  // Nobody runs them any more. They are queued with the steps that are done, and held until an operator lets them go on.
  jobs: mended(
    `update jobs set state = 'queued', holder = null, label = 'Waiting to go on', attempt = greatest(attempt - 1, 0),
       updated_at = wheelwright_now()
     where state = 'running'`,
  ),
  // In a backup for the jobs that name them; none of them runs.
  replicas: mended("delete from replicas"),
  lane_calls: whole,
  audit_events: whole,
  audit_seals: whole,
  audit_counts: whole,
  // A client that has seen events since must not take new ones under the same numbers for those: it begins anew.
  stream_heads: mended(
    `update stream_heads set number = greatest(number, ${LATER}), pruned_through = greatest(number, ${LATER})`,
  ),
  stream_events: whole,
  idempotency_keys: whole,
  // One that has been used since would be good again, and whoever has read the mail could set a password by it.
  one_time_tokens: mended(
    `update one_time_tokens set voided_at = wheelwright_now()
     where purpose = 'password_reset' and used_at is null and voided_at is null`,
  ),
  federation_requests: whole,
  restore_requests: whole,
  notification_reads: whole,
  notification_read_counts: whole,
  notification_read_stretches: whole,
  loose_heads: whole,
  notification_audiences: whole,
  // Those taken since are unknown, and those deleted since have no snapshots: doctor --reconcile compares.
  backups: whole,
  cluster_snapshots: whole,
  database_restores: whole,
  kept_claims: whole,
  templates: whole,
  template_uses: whole,
  subscriptions: whole,
  billing_events: whole,
  billing_refunds: whole,
  token_calls: whole,
  deprecation_notices: whole,
  deprecation_announcements: whole,
};
