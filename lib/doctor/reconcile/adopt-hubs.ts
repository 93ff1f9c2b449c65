/** Adopts and updates rows of hubs from their records in the cluster. */
import { sql } from "kysely";
import { createCancellationEntries } from "#lib/domains/federations/abandon.ts";
import {
  type FederationRow,
  insertFederation,
  lockFederation,
  updateFederation,
} from "#lib/domains/federations/store.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import type { HubSiteRecord } from "#lib/moodle/site-record.ts";
import type { Requester } from "#lib/audit/requester.ts";
import { hubSubject } from "#lib/audit/store.ts";
import { record } from "#lib/changes/record.ts";
import { toStreamOperation } from "#lib/jobs/operation.ts";
import { isRowOutdated, pickChangedValues, readChangesAfterRestore } from "#lib/doctor/reconcile/outdated-rows.ts";
import { changedOfHub } from "#lib/doctor/reconcile/changed-fields.ts";
import type { ObservedNamespace } from "#lib/doctor/reconcile/survey.ts";
import { cancelJobs } from "#lib/doctor/reconcile/adopt-spokes.ts";

export interface HubInCluster {
  readonly cluster: string;
  readonly identity: string | null;
  readonly namespace: ObservedNamespace;
  readonly particulars: HubSiteRecord;
}

/** Adopts a hub. The hub has no members, because only the lost database knew them. */
export async function adoptHub(tx: Tx, requester: Requester, standing: HubInCluster): Promise<string | null> {
  const { id, slug, createdBy, createdAt } = standing.particulars;
  const holder = await tx.selectFrom("federations").select("id").where("slug", "=", slug).where(
    "state",
    "<>",
    "removed",
  )
    .executeTakeFirst();
  if (holder) return `the hub ${holder.id} has its slug ${slug}`;
  const user = await tx.selectFrom("users").select("id").where((is) =>
    is.or([is("id", "=", createdBy), is("operator", "=", true)])
  )
    .orderBy(sql`id = ${createdBy}`, "desc").orderBy("createdAt").limit(1).executeTakeFirst();
  if (!user) return "nobody has an account; set BOOTSTRAP_ADMIN_EMAIL, and start serve once";
  const row = await insertFederation(tx, { ...columnsOf(standing), id, createdAt, createdBy: user.id });
  if (!row) return "a hub of its id or namespace is in the database";
  await recordHubResolution(tx, requester, row, { action: "adopt", slug });
  return null;
}

/** Updates a hub from its record. Keeps the fields that users changed after the restore. */
export async function updateHubFromRecord(
  tx: Tx,
  requester: Requester,
  standing: HubInCluster,
  restoredAt: Date | null,
): Promise<string | null> {
  const { namespace, particulars } = standing, before = await lockFederation(tx, particulars.id);
  if (isGoing(before) || !isRowOutdated(before, namespace, particulars)) return null;
  const changes = await readChangesAfterRestore(tx, restoredAt, before.id);
  const after = await updateFederation(tx, before.id, {
    ...columnsOf(standing),
    ...pickChangedValues(before, changes),
  });
  const changed = changedOfHub(before, particulars, { state: after.state, requested: changes.get(before.id) });
  await recordHubResolution(tx, requester, after, { action: "catch up", slug: after.slug, ...changed });
  return null;
}

export async function markHubGone(
  tx: Tx,
  requester: Requester,
  { id, namespaceUid }: FederationRow,
  reason: string,
): Promise<null> {
  const before = await lockFederation(tx, id);
  if (isGoing(before) || before.namespaceUid !== namespaceUid) return null;
  const anew = { namespaceUid: null, clusterUid: null, recordedAt: null }; // a retry creates a new namespace
  const after = await updateFederation(tx, id, { state: "failed", stateReason: reason, ...anew });
  await recordHubResolution(tx, requester, after, { action: "give up", slug: after.slug, from: before.state, reason });
  return null;
}

export async function cancelOperationsOfHub(
  tx: Tx,
  requester: Requester,
  { id }: FederationRow,
  operations: readonly string[],
): Promise<null> {
  const before = await lockFederation(tx, id);
  if (isGoing(before)) return null;
  const ended = await cancelJobs(tx, operations);
  if (ended.length === 0) return null;
  const after = await updateFederation(tx, id, stateOfRecordedHub(before));
  await record(tx, requester, {
    audit: createCancellationEntries(ended, { federationId: id }, "the database was restored to a time before"),
    events: ended.map((job) => ({ federationId: id, state: after.state, operation: toStreamOperation(job) })),
  });
  return null;
}

function columnsOf({ cluster, identity, namespace, particulars }: HubInCluster) {
  const { slug, name, region, mode, tier, readyAt } = particulars;
  const place = { cluster, clusterUid: identity, namespace: namespace.name, namespaceUid: namespace.uid };
  return {
    ...stateOfRecordedHub(particulars),
    ...{ slug, name, region, mode, tier, readyAt },
    ...place,
    recordedAt: null,
    backupUpdatedAt: particulars.updatedAt,
  };
}

/**
 * Returns the state of a hub after the loss of the database. Provisioning can be repeated, because it reuses existing
 * objects.
 */
export function stateOfRecordedHub(
  { state, stateReason }: { readonly state: string; readonly stateReason: string | null },
): Pick<FederationRow, "state" | "stateReason"> {
  if (state === "active") return { state, stateReason };
  if (state === "failed") return { state, stateReason };
  return {
    state: "failed",
    stateReason: "An operation was under way when the database was lost; retry goes on with it",
  };
}

async function recordHubResolution(
  tx: Tx,
  requester: Requester,
  { id, state, stateReason }: FederationRow,
  metadata: Record<string, unknown>,
) {
  await record(tx, requester, {
    audit: [{ kind: "federation_updated", ...hubSubject(id), metadata: { ...metadata, reconciled: true } }],
    events: [{ federationId: id, state, error: stateReason }],
  });
}

function isGoing({ state }: FederationRow): boolean {
  return state === "removing" || state === "removed";
}
