/**
 * Defines which tables a database backup includes, and how a restore adjusts their rows. A new table in the schema must
 * be added here, or the program does not compile.
 */
import type { Schema } from "#lib/drivers/db/schema.ts";

interface TableRestore {
  /** Whether backups include its rows. */
  readonly isInBackup: boolean;
  /** A statement that adjusts the rows after a restore. */
  readonly fixup: string | null;
}

/**
 * An SQL expression for a number greater than all that were used since the backup, even by an earlier restore of it:
 * the time in milliseconds.
 */
export const LATER_NUMBER = "(extract(epoch from transaction_timestamp()) * 1000)::bigint";

/** Restored without changes. */
const unchanged: TableRestore = { isInBackup: true, fixup: null };
/** Not included in backups. */
const omitted: TableRestore = { isInBackup: false, fixup: null };
const withFixup = (mend: string): TableRestore => ({ isInBackup: true, fixup: mend });
/** Keeps the time of the rows' data, whatever is requested while the database is held. */
const withAsOf = (table: string): TableRestore =>
  withFixup(`update ${table} set backup_updated_at = coalesce(backup_updated_at, updated_at)`);

/** Statements run in this order, with the tables' triggers enabled. */
export const TABLE_RESTORES: Readonly<Record<keyof Schema, TableRestore>> = {
  // It stays the same installation, so that its signatures in the clusters remain valid.
  installation: unchanged,
  // Only used in tests.
  clock_shift: unchanged,
  users: unchanged,
  // A restore would revive sessions that have ended since the backup, so users sign in again.
  sessions: omitted,
  // Tokens that were revoked since the backup are valid again, as docs/restoring.md says. Without tokens all programs
  // would stop.
  api_tokens: unchanged,
  federations: withAsOf("federations"),
  federation_members: unchanged,
  spokes: withAsOf("spokes"),
  former_domains: unchanged,
  spoke_members: unchanged,
  // No replica runs them any more. They are queued with their finished steps, and held until an operator releases the
  // database.
  jobs: withFixup(
    `update jobs set state = 'queued', holder = null, label = 'Waiting to go on', attempt = greatest(attempt - 1, 0),
       updated_at = wheelwright_now()
     where state = 'running'`,
  ),
  // Included because jobs refer to them. None of them is running.
  replicas: withFixup("delete from replicas"),
  ready_lanes: unchanged,
  audit_events: unchanged,
  audit_seals: unchanged,
  audit_counts: unchanged,
  // Clients that have seen newer events must not take other events under the same numbers, so the numbers jump ahead.
  stream_heads: withFixup(
    `update stream_heads set number = greatest(number, ${LATER_NUMBER}), pruned_through = greatest(number, ${LATER_NUMBER})`,
  ),
  stream_events: unchanged,
  idempotency_keys: unchanged,
  // Reset tokens that were used since the backup would be valid again, for everybody who has read the mail.
  one_time_tokens: withFixup(
    `update one_time_tokens set voided_at = wheelwright_now()
     where purpose = 'password_reset' and used_at is null and voided_at is null`,
  ),
  federation_requests: unchanged,
  restore_requests: unchanged,
  notification_reads: unchanged,
  notification_read_counts: unchanged,
  notification_read_ranges: unchanged,
  service_event_head: unchanged,
  notification_audiences: unchanged,
  // Newer backups are missing, and deleted ones have no snapshots. `doctor --reconcile` compares them.
  backups: unchanged,
  cluster_snapshots: unchanged,
  database_restores: unchanged,
  retained_pvcs: unchanged,
  templates: unchanged,
  template_uses: unchanged,
  subscriptions: unchanged,
  billing_events: unchanged,
  billing_refunds: unchanged,
  token_calls: unchanged,
  deprecation_notices: unchanged,
  deprecation_announcements: unchanged,
};
