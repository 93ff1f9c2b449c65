/**
 * Defines the tables that a database backup includes, and how a restore adjusts their rows. The program compiles only
 * if every table is listed.
 */
import type { Schema } from "#lib/drivers/db/schema.ts";

interface TableRestore {
  /** Whether database backups include the table's rows. */
  readonly isInBackup: boolean;
  /** An SQL statement that adjusts the table's rows after a restore, or null. */
  readonly fixup: string | null;
}

/**
 * An SQL expression for the current time in milliseconds since the epoch. The value is greater than any number assigned
 * since the backup, even after an earlier restore.
 */
export const NUMBER_AFTER_BACKUP_SQL = "(extract(epoch from transaction_timestamp()) * 1000)::bigint";

const unchanged: TableRestore = { isInBackup: true, fixup: null };
const omitted: TableRestore = { isInBackup: false, fixup: null };
const withFixup = (fixup: string): TableRestore => ({ isInBackup: true, fixup });
/** Stores the time of a row's last update before the backup, so that updates after the restore do not hide it. */
const withAsOf = (table: string): TableRestore =>
  withFixup(`update ${table} set backup_updated_at = coalesce(backup_updated_at, updated_at)`);

/** The tables and their restore rules. The `fixup` statements run in this order, with all triggers enabled. */
export const TABLE_RESTORES: Readonly<Record<keyof Schema, TableRestore>> = {
  // Keeps the installation's ID and key, so that the signatures in the clusters stay valid.
  installation: unchanged,
  // Includes this table, although only tests write to it.
  clock_shift: unchanged,
  users: unchanged,
  // Omits sessions, because some sessions may have ended since the backup. Users must sign in again.
  sessions: omitted,
  pending_sign_ins: omitted,
  passkey_challenges: omitted,
  // Recovery codes that were used since the backup become valid again.
  factors: unchanged,
  recovery_codes: unchanged,
  // Keeps API tokens, because API clients would otherwise stop working. Tokens that were revoked since the backup
  // become valid again (docs/restoring.md).
  api_tokens: unchanged,
  // Omits sign-ins from terminals, which refer to sessions and expire within minutes.
  terminal_sign_ins: omitted,
  identities: unchanged,
  // Omits sign-ins in progress, which last only ten minutes.
  sign_in_requests: omitted,
  federations: withAsOf("federations"),
  federation_members: unchanged,
  mapped_roles: unchanged,
  spokes: withAsOf("spokes"),
  live_hubs: unchanged,
  live_spokes: unchanged,
  spoke_texts: unchanged,
  former_domains: unchanged,
  spoke_members: unchanged,
  // Queues running jobs again, with their finished steps. No job runs until an operator allows it.
  jobs: withFixup(
    `update jobs set state = 'queued', holder = null, label = 'Waiting to go on', attempt = greatest(attempt - 1, 0),
       updated_at = wheelwright_now()
     where state = 'running'`,
  ),
  // Restores the rows of replicas because jobs refer to them, then deletes the rows because no replica is running.
  replicas: withFixup("delete from replicas"),
  turns: unchanged,
  ready_lanes: unchanged,
  audit_events: unchanged,
  audit_seals: unchanged,
  audit_counts: unchanged,
  // Increases the event numbers, so that clients do not confuse new events with lost events of the same number.
  stream_heads: withFixup(
    `update stream_heads set number = greatest(number, ${NUMBER_AFTER_BACKUP_SQL}), pruned_through = greatest(number, ${NUMBER_AFTER_BACKUP_SQL})`,
  ),
  stream_events: unchanged,
  idempotency_keys: unchanged,
  // Voids password reset tokens, because tokens that were used since the backup would be valid again.
  one_time_tokens: withFixup(
    `update one_time_tokens set voided_at = wheelwright_now()
     where purpose = 'password_reset' and used_at is null and voided_at is null`,
  ),
  federation_requests: unchanged,
  restore_requests: unchanged,
  policy_versions: unchanged,
  rollouts: unchanged,
  rollout_spokes: unchanged,
  page_checks: unchanged,
  availability_hours: unchanged,
  availability_days: unchanged,
  availability_hub_days: unchanged,
  spoke_usage: unchanged,
  spoke_addons: unchanged,
  usage_samples: unchanged,
  hub_usage_samples: unchanged,
  daily_totals: unchanged,
  notification_reads: unchanged,
  notification_read_counts: unchanged,
  notification_read_ranges: unchanged,
  service_event_head: unchanged,
  notification_audiences: unchanged,
  // Restores the list of site backups as it was. `doctor --reconcile` reports missing and deleted backups.
  backups: unchanged,
  libraries: unchanged,
  library_backups: unchanged,
  cluster_snapshots: unchanged,
  database_restores: unchanged,
  retained_pvcs: unchanged,
  templates: unchanged,
  template_uses: unchanged,
  subscriptions: unchanged,
  billing_events: unchanged,
  billing_refunds: unchanged,
  webhooks: unchanged,
  // The next message of each hub is a StreamReset, because the fixup of stream_heads increases the event numbers.
  webhook_cursors: unchanged,
  webhook_deliveries: unchanged,
  token_calls: unchanged,
  deprecation_notices: unchanged,
  deprecation_announcements: unchanged,
};
