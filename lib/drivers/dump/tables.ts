/**
 * What of each table a backup of the database has, and what is done with it before anybody works with the restored one.
 * A table that stands in the schema and not here does not compile.
 */
import type { Schema } from "#lib/drivers/db/schema.ts";

interface TableRestore {
  /** Whether a backup has its rows. */
  readonly isInBackup: boolean;
  /** What a restore changes in them: a statement. */
  readonly fixup: string | null;
}

/**
 * Greater than any number that was given out since the backup, also by a database that was restored from the same one before:
 * nobody gives out as many as a clock milliseconds. An expression.
 */
export const LATER_NUMBER = "(extract(epoch from transaction_timestamp()) * 1000)::bigint";

/** As it was. */
const unchanged: TableRestore = { isInBackup: true, fixup: null };
/** Not in a backup. */
const omitted: TableRestore = { isInBackup: false, fixup: null };
const withFixup = (mend: string): TableRestore => ({ isInBackup: true, fixup: mend });
/** How old its rows are stays known, whatever is asked for while the database is held. */
const withAsOf = (table: string): TableRestore => withFixup(`update ${table} set as_of = coalesce(as_of, updated_at)`);

/** Statements run in this order, with the triggers of the tables. */
export const TABLE_RESTORES: Readonly<Record<keyof Schema, TableRestore>> = {
  // It is the same one: what it has signed in the clusters is its own.
  installation: unchanged,
  // Shifts the clock in tests alone.
  clock_shift: unchanged,
  users: unchanged,
  // One that has been ended since would be alive again: people sign in anew.
  sessions: omitted,
  // One that was revoked since is good again, which docs/restoring.md says; without theirs all programs would stand still.
  api_tokens: unchanged,
  federations: withAsOf("federations"),
  federation_members: unchanged,
  spokes: withAsOf("spokes"),
  former_domains: unchanged,
  spoke_members: unchanged,
  // Nobody runs them any more. They are queued with the steps that are done, and held until an operator lets them go on.
  jobs: withFixup(
    `update jobs set state = 'queued', holder = null, label = 'Waiting to go on', attempt = greatest(attempt - 1, 0),
       updated_at = wheelwright_now()
     where state = 'running'`,
  ),
  // In a backup for the jobs that name them; none of them runs.
  replicas: withFixup("delete from replicas"),
  lane_calls: unchanged,
  audit_events: unchanged,
  audit_seals: unchanged,
  audit_counts: unchanged,
  // A client that has seen events since must not take new ones under the same numbers for those: it begins anew.
  stream_heads: withFixup(
    `update stream_heads set number = greatest(number, ${LATER_NUMBER}), pruned_through = greatest(number, ${LATER_NUMBER})`,
  ),
  stream_events: unchanged,
  idempotency_keys: unchanged,
  // One that has been used since would be good again, and whoever has read the mail could set a password by it.
  one_time_tokens: withFixup(
    `update one_time_tokens set voided_at = wheelwright_now()
     where purpose = 'password_reset' and used_at is null and voided_at is null`,
  ),
  federation_requests: unchanged,
  restore_requests: unchanged,
  notification_reads: unchanged,
  notification_read_counts: unchanged,
  notification_read_stretches: unchanged,
  loose_heads: unchanged,
  notification_audiences: unchanged,
  // Those taken since are unknown, and those deleted since have no snapshots: doctor --reconcile compares.
  backups: unchanged,
  cluster_snapshots: unchanged,
  database_restores: unchanged,
  kept_claims: unchanged,
  templates: unchanged,
  template_uses: unchanged,
  subscriptions: unchanged,
  billing_events: unchanged,
  billing_refunds: unchanged,
  token_calls: unchanged,
  deprecation_notices: unchanged,
  deprecation_announcements: unchanged,
};
