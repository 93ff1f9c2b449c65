/**
 * Removes spokes: a job deletes the namespace and marks the spoke's row as removed. Operators can abandon a failed
 * removal, which marks the row although the namespace may still exist.
 */
import { buildSpokeSubject } from "#lib/audit/store.ts";
import type { App } from "#lib/app.ts";
import type { Requester } from "#lib/audit/requester.ts";
import { type Actor, requireOperator } from "#lib/domains/auth/access.ts";
import { recordChange, recordOperation } from "#lib/changes/record.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { toStreamOperation } from "#lib/jobs/operation.ts";
import { hasDeclaredData } from "#lib/jobs/data.ts";
import { remove as REMOVE } from "#lib/operations/remove.ts";
import { cancelRunningJobs, findLastRemoval, startNextRemovalAttempt } from "#lib/jobs/removal.ts";
import { cancelSpokeOperations } from "#lib/jobs/store.ts";
import { spokeMissingFault } from "#lib/domains/spokes/access.ts";
import { buildSpokeJob } from "#lib/domains/spokes/operation.ts";
import { showSpoke } from "#lib/domains/spokes/show.ts";
import { lockSpoke, setSpokeState, type SpokeRow } from "#lib/domains/spokes/store.ts";
import type { SpokeRecord } from "#lib/domains/spokes/views.ts";
import { sql } from "kysely";
import {
  ABANDONED_REASON,
  createCancellationAuditEntries,
  requireFailedRemoval,
  selectLastOperation,
} from "#lib/domains/federations/remove.ts";
import { releaseFormerDomains } from "#lib/domains/spokes/names.ts";

/** Requests a spoke's removal. Idempotent. A removal that waits for a retry is retried immediately. */
export async function removeSpoke(app: App, actor: Actor, spoke: SpokeRow): Promise<SpokeRecord> {
  const row = await app.db.transact((tx) => enqueueSpokeRemoval(tx, actor, spoke.id));
  return await showSpoke(app.db.rows, actor, row);
}

/** Cancels the spoke's other operations and enqueues the removal, which starts after any running operation. */
export async function enqueueSpokeRemoval(tx: Tx, requester: Requester, id: string): Promise<SpokeRow> {
  const before = await lockSpoke(tx, id);
  if (before.state === "removed") throw spokeMissingFault();
  if (before.state === "removing") {
    const removal = await findLastRemoval(tx, { spokeId: id });
    if (removal) {
      await startNextRemovalAttempt(tx, removal);
      return before;
    }
  }
  const cancelledJobs = await cancelSpokeOperations(tx, id);
  const after = await setSpokeState(tx, id, "removing");
  const about = { federationId: after.federationId, spokeId: id };
  await recordOperation(tx, requester, buildSpokeJob(after, "remove"), (job) => ({
    audit: [
      ...createCancellationAuditEntries(
        cancelledJobs.filter((other) => other.state === "cancelled"),
        about,
        "the spoke is being removed",
      ),
      {
        kind: "spoke_removal_requested",
        ...buildSpokeSubject(after),
        metadata: { slug: after.slug, domain: after.domain, operationId: job.id },
      },
    ],
    events: [{ ...about, state: after.state, operation: toStreamOperation(job) }],
  }));
  return after;
}

/** Abandons a spoke after a failed removal. Throws a fault: `forbidden` (`operator_only`), `conflict` or `missing`. */
export async function abandonSpoke(app: App, actor: Actor, spoke: SpokeRow): Promise<SpokeRecord> {
  requireOperator(actor);
  const row = await app.db.transact((tx) => markSpokeAbandoned(tx, actor, spoke.id));
  return await showSpoke(app.db.rows, actor, row);
}

export async function markSpokeAbandoned(tx: Tx, requester: Requester, id: string): Promise<SpokeRow> {
  const before = await lockSpoke(tx, id);
  if (before.state === "removed") throw spokeMissingFault();
  const removal = await findLastRemoval(tx, { spokeId: id });
  requireFailedRemoval("spoke", before.state, removal);
  const cancelledJobs = await cancelRunningJobs(tx, await cancelSpokeOperations(tx, id));
  const now = sql<Date>`wheelwright_now()`;
  const after = await tx.updateTable("spokes").set({
    state: "removed",
    stateReason: ABANDONED_REASON,
    health: "unknown",
    removedAt: now,
    updatedAt: now,
  }).where("id", "=", id).returningAll().executeTakeFirstOrThrow();
  await releaseFormerDomains(tx, id);
  const about = { federationId: after.federationId, spokeId: id };
  const { slug, domain, size, namespace, cluster } = after;
  const snapshots = removal && hasDeclaredData(REMOVE.kind, removal) && removal.progress.snapshots;
  const metadata = { slug, domain, size, namespace, cluster, abandoned: true, operationId: removal?.id ?? null };
  await recordChange(tx, requester, {
    audit: [...createCancellationAuditEntries(cancelledJobs, about, "the spoke was abandoned"), {
      kind: "spoke_destroyed",
      ...buildSpokeSubject(after),
      metadata: { ...metadata, ...(snapshots && { snapshots }) },
    }],
    events: [{ ...about, state: after.state, operation: selectLastOperation(cancelledJobs, removal) }],
  });
  return after;
}
