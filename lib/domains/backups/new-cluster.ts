/**
 * Brings hubs and spokes back whose cluster is gone, in the one that bears its name by now: a hub gets a new namespace, and a
 * spoke a site from its newest backup, whose snapshots the storage has kept.
 *
 * It is for what was made in another cluster than the one that answers, and for that alone: where it is the same one, the
 * sites stand. A spoke keeps its id, its names and its namespace's name, which is free in a cluster that never had it. What the
 * rows know of the former cluster is forgotten in the transaction that asks for the new site, so nothing is asked for twice.
 */
import { sql } from "kysely";
import type { App } from "#lib/app.ts";
import type { Asker } from "#lib/audit/asker.ts";
import { onHub, onSpoke } from "#lib/audit/store.ts";
import { type Backup, listStanding } from "#lib/domains/backups/store.ts";
import { preferVerified } from "#lib/domains/backups/tested.ts";
import { demandUsable, leastDisks, restoreRefusal } from "#lib/domains/backups/usable.ts";
import { record, recordOperation } from "#lib/changes/record.ts";
import type { Rows, Tx } from "#lib/drivers/db/database.ts";
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import { cancellations } from "#lib/domains/federations/abandon.ts";
import { operationOnHub } from "#lib/domains/federations/state.ts";
import { type FederationRow, lockFederation, updateFederation } from "#lib/domains/federations/store.ts";
import { footingFrom, onFooting } from "#lib/moodle/footing.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import { turnOf } from "#lib/moodle/names.ts";
import type { Job } from "#lib/jobs/job.ts";
import { streamOperation } from "#lib/jobs/operation.ts";
import { endGivenUp } from "#lib/jobs/removal.ts";
import { cancelHubOperations, cancelOperationsOf, enqueue } from "#lib/jobs/store.ts";
import { MINUTE } from "#lib/base/time.ts";
import { operationOn } from "#lib/domains/spokes/operation.ts";
import { lockSpoke, type SpokeRow } from "#lib/domains/spokes/store.ts";

/** A hub, or one of its spokes, that was made in another cluster than the one that answers. */
export interface Lost {
  readonly hub: FederationRow;
  /** Null for the hub's own. */
  readonly spoke: SpokeRow | null;
  /** What the spoke's site is made from; null for a hub, and where there is none. */
  readonly backup: Backup | null;
  /** Why it is left as it is; null where it comes back. */
  readonly left: string | null;
}

/** Of one hub, one spoke, or all. */
export interface Range {
  readonly hubId?: string;
  readonly spokeId?: string;
}

/** Hubs before their spokes. Throws a ClusterError where a cluster does not answer, or does not say which one it is. */
export async function listLost(
  { db: { rows }, clusters }: Pick<App, "db" | "clusters">,
  range: Range,
): Promise<Lost[]> {
  const isLost = openLook(clusters), lost: Lost[] = [];
  for (const hub of await listHubs(rows, range)) {
    const left = hub.state === "removing" ? removing(`federations/${hub.id}`) : null;
    if (await isLost(hub)) lost.push({ hub, spoke: null, backup: null, left });
    for (const spoke of await listSpokesOf(rows, hub.id, range)) {
      if (await isLost(spoke)) lost.push({ hub, spoke, ...await fateOf(rows, spoke) });
    }
  }
  return lost;
}

/** The operation that brings it back; null where somebody else has asked for it since it was listed. */
export async function bringBack({ db }: Pick<App, "db">, asker: Asker, { hub, spoke }: Lost): Promise<Job | null> {
  return await db.transact((tx) => spoke ? bringSpoke(tx, asker, spoke) : bringHub(tx, asker, hub));
}

async function listHubs(rows: Rows, { hubId, spokeId }: Range): Promise<FederationRow[]> {
  let query = rows.selectFrom("federations").selectAll().where("state", "<>", "removed").orderBy("createdAt");
  if (hubId !== undefined) query = query.where("id", "=", hubId);
  if (spokeId !== undefined) {
    query = query.where("id", "in", rows.selectFrom("spokes").select("federationId").where("id", "=", spokeId));
  }
  return await query.execute();
}

async function listSpokesOf(rows: Rows, hubId: string, { spokeId }: Range): Promise<SpokeRow[]> {
  let query = rows.selectFrom("spokes").selectAll().where("federationId", "=", hubId).where("state", "<>", "removed")
    .orderBy("createdAt");
  if (spokeId !== undefined) query = query.where("id", "=", spokeId);
  return await query.execute();
}

/** Asks each cluster once which one it is. What has no namespace yet gets it here by its own operation. */
function openLook(clusters: App["clusters"]) {
  const known = new Map<string, string>(), call = { signal: AbortSignal.timeout(10 * MINUTE) };
  return async (row: Pick<SpokeRow, "cluster" | "clusterUid" | "namespace" | "namespaceUid">): Promise<boolean> => {
    if (row.namespaceUid === null) return false;
    const cluster = await clusters.open(row.cluster);
    const identity = known.get(row.cluster) ?? await cluster.identity(call);
    if (identity === null) {
      const message = `The cluster ${row.cluster} does not say which one it is: it has no namespace kube-system`;
      throw restoreRefusal("another_cluster", message, "Let the kubeconfig lead to a cluster that has one.");
    }
    known.set(row.cluster, identity);
    if (row.clusterUid !== null) return row.clusterUid !== identity;
    return (await cluster.findNamespace(row.namespace, call))?.metadata.uid !== row.namespaceUid; // of an earlier release
  };
}

async function fateOf(rows: Rows, spoke: SpokeRow): Promise<Pick<Lost, "backup" | "left">> {
  if (spoke.state === "removing") return { backup: null, left: removing(`spokes/${spoke.id}`) };
  try {
    return { backup: await demandPreferred(rows, spoke), left: null };
  } catch (error) {
    if (!(error instanceof ClusterError)) throw error;
    return { backup: null, left: error.message };
  }
}

/** Prefers a verified backup to a newer one that failed its restore test, because nobody chooses for each spoke. */
async function demandPreferred(rows: Rows, spoke: SpokeRow): Promise<Backup> {
  return await demandUsable(rows, spoke, preferVerified(await listStanding(rows, spoke.id))?.id);
}

function removing(url: string): string {
  return `it is being removed, which fails, and can be given up: DELETE /api/${url}?abandon=true`;
}

const REASON = "the cluster is gone, and it comes back in a new one";

async function bringHub(tx: Tx, asker: Asker, { id, namespaceUid }: FederationRow): Promise<Job | null> {
  const before = await lockFederation(tx, id);
  if (isGoing(before) || before.namespaceUid !== namespaceUid) return null;
  const calledOff = await endGivenUp(tx, await cancelHubOperations(tx, id));
  const { state, slug } = await updateFederation(tx, id, {
    state: "provisioning",
    stateReason: null,
    namespaceUid: null,
    clusterUid: null,
  });
  return await recordOperation(tx, asker, operationOnHub(id, "provision-hub"), (job) => ({
    audit: [...cancellations(calledOff, { federationId: id }, REASON), {
      kind: "federation_updated",
      ...onHub(id),
      metadata: { action: "restore", newCluster: true, slug, operationId: job.id },
    }],
    events: [{ federationId: id, state, operation: streamOperation(job) }],
  }));
}

/** What runs on it by the dump is ended here and now: its holder is gone, or finds that it has lost it. */
async function bringSpoke(tx: Tx, asker: Asker, { id, namespaceUid }: SpokeRow): Promise<Job | null> {
  const before = await lockSpoke(tx, id);
  if (isGoing(before) || before.namespaceUid !== namespaceUid) return null;
  const backup = await demandPreferred(tx, before);
  const calledOff = await endGivenUp(tx, await cancelOperationsOf(tx, id));
  const job = await enqueue(tx, asker, operationOn(before, "provision"));
  await tx.deleteFrom("kept_claims").where("spokeId", "=", id).execute();
  const after = await tx.updateTable("spokes").set({
    state: "provisioning",
    stateReason: null,
    health: "unknown",
    maintenance: false,
    drift: null,
    badLooks: 0,
    wishedDomain: null,
    namespaceUid: null,
    clusterUid: null,
    imageDigest: null,
    readyAt: null, // a retry makes this site, whatever had failed at the one that is gone
    lmsVersion: backup.lmsVersion ?? before.lmsVersion,
    siteIdentifier: before.siteIdentifier ?? backup.siteIdentifier,
    blueprintInputs: JSON.stringify(inputsFrom(before, backup, job)),
    fromBackup: backup.id,
    updatedAt: sql<Date>`wheelwright_now()`,
  }).where("id", "=", id).returningAll().executeTakeFirstOrThrow();
  const about = { federationId: after.federationId, spokeId: id };
  await record(tx, asker, {
    audit: [...cancellations(calledOff, about, REASON), {
      kind: "spoke_actioned",
      ...onSpoke(after),
      metadata: {
        action: "restore",
        newCluster: true,
        backupId: backup.id,
        from: before.state,
        slug: after.slug,
        operationId: job.id,
      },
    }],
    events: [{ ...about, state: after.state, operation: streamOperation(job) }],
  });
  return job;
}

function inputsFrom({ blueprintInputs }: SpokeRow, backup: Backup, { id }: Job): SpokeInputs {
  const inputs = blueprintInputs as SpokeInputs;
  const { claims: _, ...fresh } = footingFrom(inputs, { ...backup, least: leastDisks(backup) }, turnOf(id));
  return onFooting(inputs, fresh); // in a new namespace, names are free
}

function isGoing({ state }: { readonly state: string }): boolean {
  return state === "removing" || state === "removed";
}
