/**
 * Removes hubs without spokes: a job deletes the hub's namespace and marks the row as removed. Operators can abandon a
 * failed removal, for example if the cluster is lost. The row is then marked although objects may remain in the cluster.
 */
import type { App } from "#lib/app.ts";
import type { Requester } from "#lib/audit/requester.ts";
import { type AuditEntry, buildHubSubject } from "#lib/audit/store.ts";
import { type Actor, requireOperator } from "#lib/domains/auth/access.ts";
import { recordChange, recordOperation } from "#lib/changes/record.ts";
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
import { cancelRunningJobs, findLastRemoval, startNextRemovalAttempt } from "#lib/jobs/removal.ts";
import { cancelHubOperations } from "#lib/jobs/store.ts";
import { sql } from "kysely";
import { Fault } from "#lib/base/errors.ts";

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
      ...createCancellationAuditEntries(
        cancelledJobs.filter((other) => other.state === "cancelled"),
        { federationId: id },
        "the hub is being removed",
      ),
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

/** The reason stored with the state of an abandoned hub or spoke. */
export const ABANDONED_REASON = "Abandoned by an operator: objects may remain in the cluster";

/** Abandons a hub after a failed removal. Throws a fault: `forbidden` (`operator_only`), `conflict` or `missing`. */
export async function abandonFederation(
  app: App,
  actor: Actor,
  federation: FederationRow,
): Promise<FederationRecord> {
  requireOperator(actor);
  const row = await app.db.transact((tx) => acceptAbandoning(tx, actor, federation.id));
  return await showFederation(app.db.rows, actor, row);
}

async function acceptAbandoning(tx: Tx, requester: Requester, id: string): Promise<FederationRow> {
  const before = await lockFederationExclusively(tx, id);
  if (before.state === "removed") throw federationMissingFault();
  const removal = await findLastRemoval(tx, { federationId: id });
  requireFailedRemoval("hub", before.state, removal);
  const cancelledJobs = await cancelRunningJobs(tx, await cancelHubOperations(tx, id));
  const now = sql<Date>`wheelwright_now()`;
  const after = await tx.updateTable("federations")
    .set({ state: "removed", stateReason: ABANDONED_REASON, removedAt: now, updatedAt: now })
    .where("id", "=", id).returningAll().executeTakeFirstOrThrow();
  const { slug, namespace, cluster } = after;
  const about = { federationId: id };
  await recordChange(tx, requester, {
    audit: [...createCancellationAuditEntries(cancelledJobs, about, "the hub was abandoned"), {
      kind: "federation_destroyed",
      ...buildHubSubject(id),
      metadata: { slug, namespace, cluster, abandoned: true, operationId: removal?.id ?? null },
    }],
    events: [{ ...about, state: after.state, operation: selectLastOperation(cancelledJobs, removal) }],
  });
  return after;
}

/** Throws a `conflict` fault unless a removal has failed, or its job is missing after a rebuild from the cluster. */
export function requireFailedRemoval(object: "spoke" | "hub", state: string, removal: Job | null): void {
  if (state === "removing" && (removal === null || removal.failure !== null)) return;
  const problem = state === "removing"
    ? "whose removal is still running; wait until the removal finishes or fails"
    : `that is ${state}; remove it first`;
  const message = `Cannot abandon a ${object} ${problem}`;
  if (object === "hub") throw new Fault("conflict", "federation_state", message);
  throw new Fault("conflict", "spoke_state", message);
}

export function createCancellationAuditEntries(
  cancelledJobs: readonly Job[],
  about: Pick<AuditEntry, "federationId" | "spokeId">,
  reason: string,
): AuditEntry[] {
  return cancelledJobs.map(({ id, kind }) => ({
    kind: "operation_cancelled",
    objectType: "operation",
    objectId: id,
    ...about,
    metadata: { kind, reason },
  }));
}

export function selectLastOperation(
  cancelledJobs: readonly Job[],
  removal: Job | null,
): ReturnType<typeof toStreamOperation> | null {
  const last = cancelledJobs.at(-1) ?? removal;
  return last && toStreamOperation(last);
}
