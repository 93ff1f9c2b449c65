/**
 * Changes a hub's name and settings, and retries a failed provisioning. The slug cannot be changed, because names and
 * URLs contain it.
 */
import { buildHubSubject } from "#lib/audit/store.ts";
import type { App } from "#lib/app.ts";
import type { Requester } from "#lib/audit/requester.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { recordChange, recordOperation } from "#lib/changes/record.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { Fault } from "#lib/base/errors.ts";
import { requireOfferedValues } from "#lib/catalog/catalog.ts";
import { showFederation } from "#lib/domains/federations/show.ts";
import { createHubJob, requireFailedHub, requireLiveHub } from "#lib/domains/federations/state.ts";
import { type FederationRow, lockFederation, updateFederation } from "#lib/domains/federations/store.ts";
import { fieldsWith } from "#lib/model/field.ts";
import { hubFields } from "#lib/model/hub.ts";
import type { FederationAction, FederationPatch, FederationRecord } from "#lib/domains/federations/views.ts";
import { toStreamOperation } from "#lib/jobs/operation.ts";

const FIELDS = fieldsWith(hubFields, "changeable");
type Changes = Partial<Record<(typeof FIELDS)[number], string>>;

/** A change of a hub in its transaction. `after` is the stored row. */
export interface HubChange {
  readonly before: FederationRow;
  readonly after: FederationRow;
  readonly changes: Changes;
}

/** Does more in the transaction that changes a hub. Returns extra metadata for the audit event, or null. */
type ExtraChange = (tx: Tx, change: HubChange) => Promise<object | null>;

/** Changes a hub. Undefined fields stay unchanged. Writes nothing if no value changes and `extra` changes nothing. */
export async function patchFederation(
  app: App,
  actor: Actor,
  federation: FederationRow,
  patch: FederationPatch,
  extra: ExtraChange = () => Promise.resolve(null),
): Promise<FederationRecord> {
  requireSameSlug(federation, patch);
  const row = await app.db.transact((tx) => writePatch(tx, app, actor, federation.id, patch, extra));
  return await showFederation(app.db.rows, actor, row);
}

function requireSameSlug(federation: FederationRow, patch: FederationPatch): void {
  if (patch.slug !== undefined && patch.slug !== federation.slug) {
    throw new Fault("invalid", "slug_fixed", `slug cannot be changed; the slug of this hub is ${federation.slug}`);
  }
}

/** Returns the fields that the patch changes, with their new values. Throws an `invalid` fault (`slug_fixed`). */
export function listHubChanges(hub: FederationRow, patch: FederationPatch): Changes {
  requireSameSlug(hub, patch);
  const changes: Changes = {};
  for (const field of FIELDS) {
    const value = patch[field];
    if (value !== undefined && value !== hub[field]) changes[field] = value;
  }
  return changes;
}

async function writePatch(
  tx: Tx,
  app: App,
  requester: Requester,
  id: string,
  patch: FederationPatch,
  extra: ExtraChange,
): Promise<FederationRow> {
  const before = await lockFederation(tx, id);
  requireLiveHub(before.state, "change");
  const changes = listHubChanges(before, patch);
  // Checks only changed fields, so that clients can send unchanged values that the catalog no longer offers.
  requireOfferedValues(app.catalog, changes);
  const isChanged = Object.keys(changes).length > 0;
  const after = isChanged ? await updateFederation(tx, id, changes) : before;
  const metadata = await extra(tx, { before, after, changes });
  if (!isChanged && metadata === null) return after;
  await recordChange(tx, requester, {
    audit: [{
      kind: "federation_updated",
      ...buildHubSubject(id),
      metadata: { slug: after.slug, changed: changes, ...metadata },
    }],
    events: [{ federationId: id, state: after.state }],
  });
  return after;
}

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
