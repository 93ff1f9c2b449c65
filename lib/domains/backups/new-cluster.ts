/**
 * Restores hubs and spokes from a lost cluster to a new cluster with the same name. A hub gets a new namespace. A spoke
 * gets a site restored from the spoke's newest backup, and keeps its ID and names. The transaction that requests the
 * new site also deletes the lost cluster's data from the spoke's row.
 */
import { sql } from "kysely";
import type { App } from "#lib/app.ts";
import type { Requester } from "#lib/audit/requester.ts";
import { buildHubSubject, buildSpokeSubject } from "#lib/audit/store.ts";
import { type Backup, listBackups } from "#lib/domains/backups/store.ts";
import { getMinimumDiskSizes, preferVerifiedBackup, requireUsableBackup } from "#lib/domains/backups/usable.ts";
import { recordChange, recordOperation } from "#lib/changes/record.ts";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";
import { Refusal } from "#lib/base/refusals.ts";
import { createCancellationAuditEntries } from "#lib/domains/federations/remove.ts";
import { createHubJob } from "#lib/domains/federations/state.ts";
import { type FederationRow, lockFederation, updateFederation } from "#lib/domains/federations/store.ts";
import { buildVersionAndVolumesFromBackup, replaceVersionAndVolumes } from "#lib/moodle/site-base.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import { getAdoptionId } from "#lib/moodle/names.ts";
import type { Job } from "#lib/jobs/job.ts";
import { toStreamOperation } from "#lib/jobs/operation.ts";
import { cancelRunningJobs } from "#lib/jobs/removal.ts";
import { cancelHubOperations, cancelSpokeOperations, enqueueJob } from "#lib/jobs/store.ts";
import { MINUTE } from "#lib/base/time.ts";
import { buildSpokeJob } from "#lib/domains/spokes/operation.ts";
import { lockSpoke, type SpokeRow } from "#lib/domains/spokes/store.ts";

/** A hub or spoke whose cluster was replaced by a new cluster with the same name. */
export interface LostClusterObject {
  readonly hub: FederationRow;
  readonly spoke: SpokeRow | null;
  /** The backup to restore. Null for a hub or for a spoke without a usable backup. */
  readonly backup: Backup | null;
  /** Why the hub or spoke cannot be restored. Null if a restore is possible. */
  readonly keepReason: string | null;
}

/** Selects lost objects: one hub, one spoke or, if both IDs are undefined, all hubs and spokes. */
export interface LostObjectFilter {
  readonly hubId?: string;
  readonly spokeId?: string;
}

/** Lists hubs and spokes whose cluster was replaced. Throws a Refusal if it cannot identify a cluster. */
export async function listLostClusterObjects(
  { db: { rows }, clusters }: Pick<App, "db" | "clusters">,
  filter: LostObjectFilter,
): Promise<LostClusterObject[]> {
  const isLost = createLostCheck(clusters), objects: LostClusterObject[] = [];
  for (const hub of await listHubs(rows, filter)) {
    const keepReason = hub.state === "removing" ? describeAbandon(`federations/${hub.id}`) : null;
    if (await isLost(hub)) objects.push({ hub, spoke: null, backup: null, keepReason });
    for (const spoke of await listSpokesOf(rows, hub.id, filter)) {
      if (await isLost(spoke)) objects.push({ hub, spoke, ...await planLostSpoke(rows, spoke) });
    }
  }
  return objects;
}

/** Requests the restore of a lost hub or spoke. Returns null if the hub or spoke was already restored or removed. */
export async function restoreLostClusterObject(
  { db }: Pick<App, "db">,
  requester: Requester,
  { hub, spoke }: LostClusterObject,
): Promise<Job | null> {
  return await db.transact((tx) => spoke ? restoreLostSpoke(tx, requester, spoke) : restoreLostHub(tx, requester, hub));
}

async function listHubs(rows: RowQueries, { hubId, spokeId }: LostObjectFilter): Promise<FederationRow[]> {
  let query = rows.selectFrom("federations").selectAll().where("state", "<>", "removed").orderBy("createdAt");
  if (hubId !== undefined) query = query.where("id", "=", hubId);
  if (spokeId !== undefined) {
    query = query.where("id", "in", rows.selectFrom("spokes").select("federationId").where("id", "=", spokeId));
  }
  return await query.execute();
}

async function listSpokesOf(rows: RowQueries, hubId: string, { spokeId }: LostObjectFilter): Promise<SpokeRow[]> {
  let query = rows.selectFrom("spokes").selectAll().where("federationId", "=", hubId).where("state", "<>", "removed")
    .orderBy("createdAt");
  if (spokeId !== undefined) query = query.where("id", "=", spokeId);
  return await query.execute();
}

/** Returns a function that checks whether an object's cluster was replaced. Identifies each cluster only once. */
function createLostCheck(clusters: App["clusters"]) {
  const identities = new Map<string, string>(), call = { signal: AbortSignal.timeout(10 * MINUTE) };
  return async (row: Pick<SpokeRow, "cluster" | "clusterUid" | "namespace" | "namespaceUid">): Promise<boolean> => {
    if (row.namespaceUid === null) return false;
    const cluster = await clusters.open(row.cluster);
    const identity = identities.get(row.cluster) ?? await cluster.identity(call);
    if (identity === null) {
      const message = `Cannot identify the cluster ${row.cluster}: the namespace kube-system is missing`;
      throw new Refusal(
        "another_cluster",
        message,
        "Use a kubeconfig for a cluster with the namespace kube-system.",
      );
    }
    identities.set(row.cluster, identity);
    if (row.clusterUid !== null) return row.clusterUid !== identity;
    // Compares the UIDs of namespaces, because the identity of the old cluster is not recorded.
    return (await cluster.findNamespace(row.namespace, call))?.metadata.uid !== row.namespaceUid;
  };
}

async function planLostSpoke(
  rows: RowQueries,
  spoke: SpokeRow,
): Promise<Pick<LostClusterObject, "backup" | "keepReason">> {
  if (spoke.state === "removing") return { backup: null, keepReason: describeAbandon(`spokes/${spoke.id}`) };
  try {
    return { backup: await requirePreferredBackup(rows, spoke), keepReason: null };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { backup: null, keepReason: error.message };
  }
}

/** Returns the backup to restore. Prefers an older, verified backup to a newer backup that failed its restore test. */
async function requirePreferredBackup(rows: RowQueries, spoke: SpokeRow): Promise<Backup> {
  return await requireUsableBackup(rows, spoke, preferVerifiedBackup(await listBackups(rows, spoke.id))?.id);
}

function describeAbandon(url: string): string {
  return `the removal fails; abandon it with DELETE /api/${url}?abandon=true`;
}

const CANCEL_REASON = "the cluster no longer exists, and a restore to a new cluster was requested";

async function restoreLostHub(tx: Tx, requester: Requester, { id, namespaceUid }: FederationRow): Promise<Job | null> {
  const before = await lockFederation(tx, id);
  if (isLeaving(before) || before.namespaceUid !== namespaceUid) return null;
  const cancelledJobs = await cancelRunningJobs(tx, await cancelHubOperations(tx, id));
  const { state, slug } = await updateFederation(tx, id, {
    state: "provisioning",
    stateReason: null,
    namespaceUid: null,
    clusterUid: null,
  });
  return await recordOperation(tx, requester, createHubJob(id, "provision-hub"), (job) => ({
    audit: [...createCancellationAuditEntries(cancelledJobs, { federationId: id }, CANCEL_REASON), {
      kind: "federation_updated",
      ...buildHubSubject(id),
      metadata: { action: "restore", newCluster: true, slug, operationId: job.id },
    }],
    events: [{ federationId: id, state, operation: toStreamOperation(job) }],
  }));
}

/** Requests the restore of a lost spoke. Cancels even its running jobs, because their replicas no longer exist. */
async function restoreLostSpoke(tx: Tx, requester: Requester, { id, namespaceUid }: SpokeRow): Promise<Job | null> {
  const before = await lockSpoke(tx, id);
  if (isLeaving(before) || before.namespaceUid !== namespaceUid) return null;
  const backup = await requirePreferredBackup(tx, before);
  const cancelledJobs = await cancelRunningJobs(tx, await cancelSpokeOperations(tx, id));
  const job = await enqueueJob(tx, requester, buildSpokeJob(before, "provision"));
  await tx.deleteFrom("retained_pvcs").where("spokeId", "=", id).execute();
  const after = await tx.updateTable("spokes").set({
    state: "provisioning",
    stateReason: null,
    health: "unknown",
    maintenance: false,
    drift: null,
    failedChecks: 0,
    requestedDomain: null,
    namespaceUid: null,
    clusterUid: null,
    imageDigest: null,
    readyAt: null, // so that a retry creates this site, even if an operation of the old site had failed
    lmsVersion: backup.lmsVersion ?? before.lmsVersion,
    siteIdentifier: before.siteIdentifier ?? backup.siteIdentifier,
    blueprintInputs: JSON.stringify(inputsFrom(before, backup, job)),
    fromBackup: backup.id,
    updatedAt: sql<Date>`wheelwright_now()`,
  }).where("id", "=", id).returningAll().executeTakeFirstOrThrow();
  const about = { federationId: after.federationId, spokeId: id };
  await recordChange(tx, requester, {
    audit: [...createCancellationAuditEntries(cancelledJobs, about, CANCEL_REASON), {
      kind: "spoke_actioned",
      ...buildSpokeSubject(after),
      metadata: {
        action: "restore",
        newCluster: true,
        backupId: backup.id,
        from: before.state,
        slug: after.slug,
        operationId: job.id,
      },
    }],
    events: [{ ...about, state: after.state, operation: toStreamOperation(job) }],
  });
  return job;
}

function inputsFrom({ blueprintInputs }: SpokeRow, backup: Backup, { id }: Job): SpokeInputs {
  const inputs = blueprintInputs as SpokeInputs;
  const { claims: _, ...unclaimed } = buildVersionAndVolumesFromBackup(
    inputs,
    { ...backup, minimumSizes: getMinimumDiskSizes(backup) },
    getAdoptionId(id),
  );
  return replaceVersionAndVolumes(inputs, unclaimed); // in a new namespace all names are free
}

function isLeaving({ state }: { readonly state: string }): boolean {
  return state === "removing" || state === "removed";
}
