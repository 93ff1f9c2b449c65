/** Handles hub admins' requests to restore a backup. An operator restores the backup on the server, or declines. */
import { sql } from "kysely";
import type { App } from "#lib/app.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import {
  closeRestoreRequests,
  formatRestoreCommand,
  lockRestoreRequest,
  type RestoreRequestRow,
  showRestoreRequests,
} from "#lib/domains/backups/restore-requests/store.ts";
import type {
  NewRestoreRequest,
  RestoreDecision,
  RestoreRequestRecord,
} from "#lib/domains/backups/restore-requests/views.ts";
import { isUsableBackup } from "#lib/domains/backups/retention.ts";
import { findBackup } from "#lib/domains/backups/store.ts";
import type { ListedSpoke } from "#lib/domains/spokes/store.ts";
import { listOperators } from "#lib/domains/users/store.ts";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";
import { Fault } from "#lib/base/errors.ts";
import { createId } from "#lib/base/ids.ts";
import { type AuditEntry, buildSpokeSubject } from "#lib/audit/store.ts";
import { recordChange } from "#lib/changes/record.ts";
import { type IdempotencyKey, runIdempotently } from "#lib/idempotency/store.ts";
import type { NewJob } from "#lib/jobs/job.ts";
import { createBulkMailJob } from "#lib/jobs/mail.ts";

/** The maximum number of open restore requests per user. Prevents users from flooding the operators with requests. */
const MAX_OPEN = 10;

/** Requests a restore. Throws a `conflict` fault (`backup_unusable`, `restore_requested` or `too_many_pending`). */
export async function createRestoreRequest(
  app: App,
  actor: Actor,
  spoke: ListedSpoke,
  { backupId, reason }: NewRestoreRequest,
  key: IdempotencyKey | null,
): Promise<RestoreRequestRecord> {
  return await runIdempotently(app.db, key, async (tx) => {
    const backup = await findBackup(tx, backupId);
    if (backup?.spokeId !== spoke.id || !isUsableBackup(backup)) {
      const message = `The spoke ${spoke.slug} has no ready backup with the ID ${backupId}; choose another backup`;
      throw new Fault("conflict", "backup_unusable", message);
    }
    await requireBelowLimit(tx, actor);
    const row = await tx.insertInto("restore_requests").values({
      id: createId("rsr"),
      federationId: spoke.federationId,
      spokeId: spoke.id,
      backupId,
      reason,
      requestedBy: actor.userId,
    }).onConflict((conflict) => conflict.doNothing()).returningAll().executeTakeFirst();
    if (!row) {
      const message = "A restore of this backup was already requested; an operator will approve or decline it";
      throw new Fault("conflict", "restore_requested", message);
    }
    const entry = createAuditEntry(row, "restore_requested", spoke.slug, { reason });
    await recordChange(tx, actor, { audit: [entry], jobs: await createOperatorMails(tx, actor, spoke, row) });
    return (await showRestoreRequests(tx, actor, [row]))[0]!;
  });
}

/**
 * Declines a restore request or marks the request as done. Throws a fault: `missing` (`request_missing`), `invalid`
 * (`reason_needed` or `reason_unused`) or `conflict` (`request_decided`).
 */
export async function decideRestoreRequest(
  app: App,
  actor: Actor,
  id: string,
  { state, declineReason }: RestoreDecision,
  key: IdempotencyKey | null,
): Promise<RestoreRequestRecord> {
  if (state === "declined" && declineReason === undefined) {
    throw new Fault("invalid", "reason_needed", "Enter a reason for declining the request; the requester will see it");
  }
  if (state === "done" && declineReason !== undefined) {
    throw new Fault(
      "invalid",
      "reason_unused",
      "Only declined requests have a reason; omit declineReason",
    );
  }
  return await runIdempotently(app.db, key, async (tx) => {
    const before = await lockRestoreRequest(tx, id);
    if (!before) throw new Fault("missing", "request_missing", "There is no such request");
    const decision = { state, decidedBy: actor.userId, ...(declineReason !== undefined && { declineReason }) };
    const [row] = await closeRestoreRequests(tx, { id }, decision);
    if (!row) {
      throw new Fault("conflict", "request_decided", `This restore request is already ${before.state}`);
    }
    const { slug } = await tx.selectFrom("spokes").select("slug").where("id", "=", row.spokeId)
      .executeTakeFirstOrThrow();
    const kind = state === "done" ? "restore_request_done" : "restore_request_declined";
    await recordChange(tx, actor, {
      audit: [createAuditEntry(row, kind, slug, declineReason === undefined ? {} : { reason: declineReason })],
    });
    return (await showRestoreRequests(tx, actor, [row]))[0]!;
  });
}

/** Closes a backup's restore requests in the transaction that completes the restore. Returns audit events to record. */
export async function closeRequestsAfterRestore(
  tx: Tx,
  { id: spokeId, slug }: { readonly id: string; readonly slug: string },
  backupId: string,
): Promise<AuditEntry[]> {
  const closed = await closeRestoreRequests(tx, { spokeId, backupId }, { state: "done", decidedBy: null });
  return closed.map((row) => createAuditEntry(row, "restore_request_done", slug, {}));
}

function createAuditEntry(row: RestoreRequestRow, kind: AuditEntry["kind"], slug: string, extra: object): AuditEntry {
  const subject = buildSpokeSubject({ id: row.spokeId, federationId: row.federationId });
  return { kind, ...subject, metadata: { slug, requestId: row.id, backupId: row.backupId, ...extra } };
}

async function requireBelowLimit(tx: Tx, { userId }: Actor): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`wheelwright: restore requests of ${userId}`}, 0))`.execute(
    tx,
  );
  const { open } = await tx.selectFrom("restore_requests").select(sql<number>`count(*)::int`.as("open"))
    .where("requestedBy", "=", userId).where("state", "=", "open").executeTakeFirstOrThrow();
  if (open < MAX_OPEN) return;
  throw new Fault(
    "conflict",
    "too_many_pending",
    `You have ${MAX_OPEN} open restore requests; wait until an operator decides on one of them`,
  );
}

/** Returns an email to each operator, or no emails if the user made another restore request in the last hour. */
async function createOperatorMails(
  rows: RowQueries,
  actor: Actor,
  spoke: ListedSpoke,
  row: RestoreRequestRow,
): Promise<NewJob[]> {
  const earlier = await rows.selectFrom("restore_requests").select("id").where("requestedBy", "=", actor.userId)
    .where("id", "<>", row.id).where("createdAt", ">", sql<Date>`wheelwright_now() - interval '1 hour'`)
    .limit(1).executeTakeFirst();
  if (earlier) return [];
  const operators = (await listOperators(rows)).filter(({ id }) => id !== actor.userId);
  const { displayName, domain } = spoke, { reason, backupId } = row;
  const about = { by: actor.email, spoke: displayName, domain, backupId, reason, command: formatRestoreCommand(row) };
  return operators.map(({ email, displayName: name }) =>
    createBulkMailJob({ template: "restore-requested", to: { email, name }, about })
  );
}
