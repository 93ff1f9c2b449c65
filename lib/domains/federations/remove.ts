/** Requests the removal of a hub without spokes. A job deletes the hub's namespace and marks the row as removed. */
import type { App } from "#lib/app.ts";
import type { Requester } from "#lib/audit/requester.ts";
import { type AuditEntry, buildHubSubject } from "#lib/audit/store.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { recordOperation } from "#lib/changes/record.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { federationMissingFault } from "#lib/domains/federations/access.ts";
import { createHubJob, requireNoSpokes } from "#lib/domains/federations/state.ts";
import { showFederation } from "#lib/domains/federations/show.ts";
import {
  countLiveSpokes,
  type FederationRow,
  lockFederationExclusively,
  updateFederation,
} from "#lib/domains/federations/store.ts";
import type { FederationRecord } from "#lib/domains/federations/views.ts";
import type { Job } from "#lib/jobs/job.ts";
import { toStreamOperation } from "#lib/jobs/operation.ts";
import { findLastRemoval, startNextRemovalAttempt } from "#lib/jobs/removal.ts";
import { cancelHubOperations } from "#lib/jobs/store.ts";

/**
 * Requests a hub's removal, or returns the removal that is already running. Throws a fault: `conflict`
 * (`federation_not_empty`) or `missing` (`federation_missing`).
 */
export async function removeFederation(app: App, actor: Actor, federation: FederationRow): Promise<FederationRecord> {
  const row = await app.db.transact((tx) => enqueueHubRemoval(tx, actor, federation.id));
  return await showFederation(app.db.rows, actor, row);
}

/** Prevents new spokes in a hub, cancels its provisioning, if any, and enqueues the removal behind its other jobs. */
export async function enqueueHubRemoval(tx: Tx, requester: Requester, id: string): Promise<FederationRow> {
  const before = await lockFederationExclusively(tx, id);
  if (before.state === "removed") throw federationMissingFault();
  const removal = before.state === "removing" ? await findLastRemoval(tx, { federationId: id }) : null;
  if (removal) {
    await startNextRemovalAttempt(tx, removal); // the caller may have fixed its error
    return before;
  }
  requireNoSpokes(before.slug, await countLiveSpokes(tx, id));
  const cancelledJobs = await cancelHubOperations(tx, id);
  const after = await updateFederation(tx, id, { state: "removing", stateReason: null });
  await recordOperation(tx, requester, createHubJob(id, "remove-hub"), (job) => ({
    audit: [
      ...cancelledJobs.filter(({ state }) => state === "cancelled").map((other) => createCancellationEntry(id, other)),
      {
        kind: "federation_removal_requested",
        ...buildHubSubject(id),
        metadata: { slug: after.slug, name: after.name, operationId: job.id },
      },
    ],
    events: [{ federationId: id, state: after.state, operation: toStreamOperation(job) }],
  }));
  return after;
}

function createCancellationEntry(federationId: string, { id, kind }: Job): AuditEntry {
  return {
    kind: "operation_cancelled",
    objectType: "operation",
    objectId: id,
    federationId,
    metadata: { kind, reason: "the hub is being removed" },
  };
}
