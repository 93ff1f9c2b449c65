/** Requests actions on a hub. The only action is `retry`, which repeats a failed provisioning. */
import { buildHubSubject } from "#lib/audit/store.ts";
import type { App } from "#lib/app.ts";
import type { Requester } from "#lib/audit/requester.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { recordOperation } from "#lib/changes/record.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { createHubJob, requireFailedHub } from "#lib/domains/federations/state.ts";
import { showFederation } from "#lib/domains/federations/show.ts";
import { type FederationRow, lockFederation, updateFederation } from "#lib/domains/federations/store.ts";
import type { FederationAction, FederationRecord } from "#lib/domains/federations/views.ts";
import { toStreamOperation } from "#lib/jobs/operation.ts";

/** Requests an action on a failed hub. Throws a `conflict` fault (`federation_state`) if the hub has not failed. */
export async function requestHubAction(
  app: App,
  actor: Actor,
  federation: FederationRow,
  { action }: FederationAction,
): Promise<FederationRecord> {
  const row = await app.db.transact((tx) => acceptRetry(tx, actor, federation.id, action));
  return await showFederation(app.db.rows, actor, row);
}

async function acceptRetry(tx: Tx, requester: Requester, id: string, action: "retry"): Promise<FederationRow> {
  const before = await lockFederation(tx, id);
  requireFailedHub(before.state);
  const after = await updateFederation(tx, id, { state: "provisioning", stateReason: null });
  await recordOperation(tx, requester, createHubJob(id, "provision-hub"), (job) => ({
    audit: [{
      kind: "federation_updated",
      ...buildHubSubject(id),
      metadata: { action, slug: after.slug, operationId: job.id },
    }],
    events: [{ federationId: id, state: after.state, operation: toStreamOperation(job) }],
  }));
  return after;
}
