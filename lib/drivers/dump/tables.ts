/**
 * Defines which tables a database backup includes, and how a restore adjusts their rows. Each new table must be listed
 * here, or the program does not compile.
 */
import type { Schema } from "#lib/drivers/db/schema.ts";

interface TableRestore {
  /** Whether backups include the table's rows. */
  readonly isInBackup: boolean;
  /** A statement that adjusts the rows after a restore. */
  readonly fixup: string | null;
}

/**
 * An SQL expression for the time in milliseconds. The result exceeds all numbers that were used since the backup, even
 * by an earlier restore of the same backup.
 */
export const LATER_NUMBER_SQL = "(extract(epoch from transaction_timestamp()) * 1000)::bigint";

const unchanged: TableRestore = { isInBackup: true, fixup: null };
const omitted: TableRestore = { isInBackup: false, fixup: null };
const withFixup = (fixup: string): TableRestore => ({ isInBackup: true, fixup });
/** Stores when the restored rows were current, so that later updates do not hide their age. */
const withAsOf = (table: string): TableRestore =>
  withFixup(`update ${table} set backup_updated_at = coalesce(backup_updated_at, updated_at)`);

/** Statements run in this order, with the tables' triggers enabled. */
export const TABLE_RESTORES: Readonly<Record<keyof Schema, TableRestore>> = {
  // The installation keeps its ID and key, so that its signatures in the clusters remain valid.
  installation: unchanged,
  // Only tests change this table.
  clock_shift: unchanged,
  users: unchanged,
  // Restored sessions could include sessions that have ended since the backup. So users must sign in again.
  sessions: omitted,
  // Tokens that were revoked since the backup are valid again (see docs/restoring.md). Without tokens, all API clients
  // would stop.
  api_tokens: unchanged,
  federations: withAsOf("federations"),
  federation_members: unchanged,
  spokes: withAsOf("spokes"),
  former_domains: unchanged,
  spoke_members: unchanged,
  // Running jobs are queued again with their finished steps. They are held until an operator releases the database.
  jobs: withFixup(
    `update jobs set state = 'queued', holder = null, label = 'Waiting to go on', attempt = greatest(attempt - 1, 0),
       updated_at = wheelwright_now()
     where state = 'running'`,
  ),
  // Replicas are included because jobs refer to them, and then deleted because none is running.
  replicas: withFixup("delete from replicas"),
  ready_lanes: unchanged,
  audit_events: unchanged,
  audit_seals: unchanged,
  audit_counts: unchanged,
  // Event numbers jump ahead. Otherwise clients could confuse new events with earlier events of the same numbers.
  stream_heads: withFixup(
    `update stream_heads set number = greatest(number, ${LATER_NUMBER_SQL}), pruned_through = greatest(number, ${LATER_NUMBER_SQL})`,
  ),
  stream_events: unchanged,
  idempotency_keys: unchanged,
  // Password reset tokens are voided. Otherwise a token that was used since the backup would be valid again.
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
  // Newer backups are missing, and deleted backups have no snapshots. `doctor --reconcile` finds these differences.
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
