/** Requests the removal of a spoke. A job deletes the namespace and marks the spoke's row as removed. */
import { buildSpokeSubject } from "#lib/audit/store.ts";
import type { App } from "#lib/app.ts";
import type { Requester } from "#lib/audit/requester.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { recordOperation } from "#lib/changes/record.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { toStreamOperation } from "#lib/jobs/operation.ts";
import { findLastRemoval, startNextRemovalAttempt } from "#lib/jobs/removal.ts";
import { cancelSpokeOperations } from "#lib/jobs/store.ts";
import { spokeMissingFault } from "#lib/domains/spokes/access.ts";
import { buildSpokeJob } from "#lib/domains/spokes/operation.ts";
import { showSpoke } from "#lib/domains/spokes/show.ts";
import { lockSpoke, setSpokeState, type SpokeRow } from "#lib/domains/spokes/store.ts";
import type { SpokeRecord } from "#lib/domains/spokes/views.ts";

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
      ...cancelledJobs.filter((other) => other.state === "cancelled").map((other) => ({
        kind: "operation_cancelled" as const,
        objectType: "operation" as const,
        objectId: other.id,
        ...about,
        metadata: { kind: other.kind, reason: "the spoke is being removed" },
      })),
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
