/** Adds missing hubs to the database, and updates existing hubs, from site records (ConfigMaps) in the cluster. */
import { sql } from "kysely";
import { createCancellationAuditEntries } from "#lib/domains/federations/remove.ts";
import {
  type FederationRow,
  insertFederation,
  lockFederation,
  updateFederation,
} from "#lib/domains/federations/store.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { fieldsWith, pickFields } from "#lib/model/field.ts";
import { hubFields } from "#lib/model/hub.ts";
import type { HubSiteRecord } from "#lib/moodle/site-record.ts";
import type { Requester } from "#lib/audit/requester.ts";
import { buildHubSubject } from "#lib/audit/store.ts";
import { recordChange } from "#lib/changes/record.ts";
import { toStreamOperation } from "#lib/jobs/operation.ts";
import {
  isRowOutdated,
  pickValuesChangedAfterRestore,
  readChangesAfterRestore,
} from "#lib/doctor/reconcile/outdated-rows.ts";
import { listChangedHubFields } from "#lib/doctor/reconcile/changed-fields.ts";
import type { ObservedNamespace } from "#lib/doctor/reconcile/survey.ts";
import { cancelJobs } from "#lib/doctor/reconcile/adopt-spokes.ts";

export interface HubInCluster {
  readonly cluster: string;
  readonly clusterUid: string | null;
  readonly namespace: ObservedNamespace;
  readonly siteRecord: HubSiteRecord;
}

/** Creates a hub's database row from its site record. The hub's members are lost, because records omit them. */
export async function adoptHub(tx: Tx, requester: Requester, hubInCluster: HubInCluster): Promise<string | null> {
  const { id, slug, createdBy, createdAt } = hubInCluster.siteRecord;
  const slugHolder = await tx.selectFrom("federations").select("id").where("slug", "=", slug).where(
    "state",
    "<>",
    "removed",
  )
    .executeTakeFirst();
  if (slugHolder) return `hub ${slugHolder.id} already uses the slug ${slug}`;
  const user = await tx.selectFrom("users").select("id").where((is) =>
    is.or([is("id", "=", createdBy), is("operator", "=", true)])
  )
    .orderBy(sql`id = ${createdBy}`, "desc").orderBy("createdAt").limit(1).executeTakeFirst();
  if (!user) return "no user exists; set BOOTSTRAP_ADMIN_EMAIL and start serve once";
  const row = await insertFederation(tx, { ...toColumns(hubInCluster), id, createdAt, createdBy: user.id });
  if (!row) return "the database already has a hub with this ID or namespace";
  await recordHubResolution(tx, requester, row, { action: "adopt", slug });
  return null;
}

/** Updates a hub's row from its site record. Keeps fields that users changed after the database was restored. */
export async function updateHubFromRecord(
  tx: Tx,
  requester: Requester,
  hubInCluster: HubInCluster,
  restoredAt: Date | null,
): Promise<string | null> {
  const { namespace, siteRecord } = hubInCluster, before = await lockFederation(tx, siteRecord.id);
  if (isBeingRemoved(before) || !isRowOutdated(before, namespace, siteRecord)) return null;
  const changes = await readChangesAfterRestore(tx, restoredAt, before.id);
  const after = await updateFederation(tx, before.id, {
    ...toColumns(hubInCluster),
    ...pickValuesChangedAfterRestore(before, changes),
  });
  const changedFields = listChangedHubFields(before, siteRecord, {
    state: after.state,
    requested: changes.get(before.id),
  });
  await recordHubResolution(tx, requester, after, { action: "catch up", slug: after.slug, ...changedFields });
  return null;
}

export async function markHubMissing(
  tx: Tx,
  requester: Requester,
  { id, namespaceUid }: FederationRow,
  reason: string,
): Promise<null> {
  const before = await lockFederation(tx, id);
  if (isBeingRemoved(before) || before.namespaceUid !== namespaceUid) return null;
  const reset = { namespaceUid: null, clusterUid: null, recordedAt: null }; // a retry creates a new namespace
  const after = await updateFederation(tx, id, { state: "failed", stateReason: reason, ...reset });
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
  if (isBeingRemoved(before)) return null;
  const cancelledJobs = await cancelJobs(tx, operations);
  if (cancelledJobs.length === 0) return null;
  const after = await updateFederation(tx, id, determineHubState(before));
  await recordChange(tx, requester, {
    audit: createCancellationAuditEntries(
      cancelledJobs,
      { federationId: id },
      "the database was restored to an earlier time",
    ),
    events: cancelledJobs.map((job) => ({ federationId: id, state: after.state, operation: toStreamOperation(job) })),
  });
  return null;
}

function toColumns({ cluster, clusterUid, namespace, siteRecord }: HubInCluster) {
  const clusterColumns = { cluster, clusterUid, namespace: namespace.name, namespaceUid: namespace.uid };
  return {
    ...determineHubState(siteRecord),
    ...pickFields(siteRecord, fieldsWith(hubFields, "settable")),
    readyAt: siteRecord.readyAt,
    ...clusterColumns,
    recordedAt: null,
    backupUpdatedAt: siteRecord.updatedAt,
  };
}

/**
 * Returns the state for a hub whose database row was lost. After an unfinished operation, the state is `failed`, so
 * that a user can retry the operation.
 */
export function determineHubState(
  { state, stateReason }: { readonly state: string; readonly stateReason: string | null },
): Pick<FederationRow, "state" | "stateReason"> {
  if (state === "active") return { state, stateReason };
  if (state === "failed") return { state, stateReason };
  return {
    state: "failed",
    stateReason: "An operation was running when the database was lost; retry it to continue",
  };
}

async function recordHubResolution(
  tx: Tx,
  requester: Requester,
  { id, state, stateReason }: FederationRow,
  metadata: Record<string, unknown>,
) {
  await recordChange(tx, requester, {
    audit: [{ kind: "federation_updated", ...buildHubSubject(id), metadata: { ...metadata, reconciled: true } }],
    events: [{ federationId: id, state, error: stateReason }],
  });
}

function isBeingRemoved({ state }: FederationRow): boolean {
  return state === "removing" || state === "removed";
}
