/**
 * Compares a restored database with the clusters, and adds the hubs, spokes and backups that the database lacks. Writes
 * only to the database. The preview runs all changes in one transaction and rolls it back. Otherwise, each change has
 * its own transaction, so that the command can be repeated after a crash.
 */
import { sql } from "kysely";
import type { App } from "#lib/app.ts";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";
import type { Cluster, ClusterCall } from "#lib/drivers/cluster/cluster.ts";
import { createFailure, createPass, type Finding, type FindingSection, formatCount } from "#lib/doctor/finding.ts";
import { checkBackups } from "#lib/doctor/reconcile/check-backups.ts";
import { checkFences, checkSandboxes, readLastFence } from "#lib/doctor/reconcile/check-fences.ts";
import type { ClusterComparison } from "#lib/doctor/reconcile/compare-rows.ts";
import { checkOrphanedVolumes } from "#lib/doctor/reconcile/check-orphans.ts";
import { checkHubsInCluster, checkSpokesInCluster } from "#lib/doctor/reconcile/check-spokes.ts";
import { buildFinding, type Discrepancy, type DiscrepancyResolution } from "#lib/doctor/reconcile/discrepancy.ts";
import { type ClusterRows, listStoredNamespaces, readClusterRows } from "#lib/doctor/reconcile/rows.ts";
import { type ClusterSurvey, surveyCluster } from "#lib/doctor/reconcile/survey.ts";
import { isReleaseNamespaceName } from "#lib/moodle/names.ts";
import type { Requester } from "#lib/audit/requester.ts";
import { type DatabaseHold, readDatabaseHold, releaseDatabaseHold } from "#lib/installation/database-hold.ts";
import { readInstallation } from "#lib/installation/installation.ts";

export interface ReconcileContext extends Pick<App, "db" | "clusters" | "config"> {
  readonly clusterNames: readonly string[];
  /** Whether `clusterNames` contains all configured clusters. */
  readonly allClusters: boolean;
  readonly apply: boolean;
  /** Namespaces whose site records are trusted, even if another installation signed them. */
  readonly acceptedNamespaces: readonly string[];
  readonly requester: Requester;
  readonly signal: AbortSignal;
}

/**
 * Compares the database with the clusters, and applies the changes if `apply` is set. Throws a ClusterError if a
 * cluster does not respond, because partial results would be misleading.
 */
export async function reconcileDatabase(context: ReconcileContext): Promise<FindingSection[]> {
  const { db, apply } = context, hold = await readDatabaseHold(db.rows);
  if (apply && hold === null && await hasRunningReplica(db.rows)) return [createSection(null, [REPLICAS_RUNNING])];
  const compared = await surveyAllClusters(context, hold);
  const sections = compared.map((each) => ({
    name: each.survey.name,
    discrepancies: [
      ...[...checkHubsInCluster(each), ...checkSpokesInCluster(each), ...checkBackups(each), ...checkSandboxes(each)],
      ...checkOrphanedVolumes(each),
    ],
    ...each,
  }));
  const fences = checkFences(compared.map(({ survey }) => survey), await readLastFence(db.rows));
  // Raises the database's fencing token (claim number) last: while it is low, it shows that the database is outdated.
  const all = [...sections.flatMap(({ discrepancies }) => discrepancies), ...fences];
  const { findings, refused } = apply ? await applyAll(context, all) : await previewAll(context, all);
  const findingsOf = (discrepancies: readonly Discrepancy[]) =>
    discrepancies.map((discrepancy) => findings.get(discrepancy)!);
  const databaseFindings = [
    ...findingsOf(fences),
    ...await reportUnknownClusters(context),
    ...await releaseHold(context, hold, refused),
  ];
  return [
    createSection(
      null,
      databaseFindings.length > 0 ? databaseFindings : [createPass("fences", "higher than all fences in the clusters")],
    ),
    ...sections.map(({ name, discrepancies, survey, rows: known }) =>
      createSection(name, [
        ...findingsOf(discrepancies),
        ...reportUnlistableKinds(survey),
        ...reportAgreement(survey, known, discrepancies),
      ])
    ),
  ];
}

const REPLICAS_RUNNING = createFailure(
  "replicas",
  "serve is running and uses this database",
  "Stop all replicas, then run the command again. The database was not changed.",
);

function createSection(cluster: string | null, findings: readonly Finding[]): FindingSection {
  return { target: cluster === null ? "database" : "cluster", name: cluster, where: null, findings };
}

/** Returns whether any replica sent a heartbeat within the last 10 seconds. */
async function hasRunningReplica(rows: RowQueries): Promise<boolean> {
  const replica = await rows.selectFrom("replicas").select("id").where("stoppedAt", "is", null)
    .where("heartbeatAt", ">", sql<Date>`wheelwright_now() - interval '10 seconds'`).limit(1).executeTakeFirst();
  return replica !== undefined;
}

async function surveyAllClusters(context: ReconcileContext, hold: DatabaseHold | null): Promise<ClusterComparison[]> {
  const { db, clusters, config, clusterNames, acceptedNamespaces, signal } = context, call = { signal };
  const trust = { installation: await readInstallation(db.rows), acceptedNamespaces: new Set(acceptedNamespaces) };
  const opened = await Promise.all(clusterNames.map((name) => clusters.open(name)));
  const known = new Set(await listStoredNamespaces(db.rows));
  const isOwn = (name: string): boolean => isReleaseNamespaceName(name, config.releaseId) || known.has(name);
  const surveys = await Promise.all(opened.map((cluster) => surveyCluster(cluster, isOwn, call)));
  const lastFence = await readLastFence(db.rows), isBehind = surveys.some(({ fence }) => fence > lastFence);
  const restoredAt = hold?.restoredAt ?? (isBehind ? await db.now() : null);
  const compared: ClusterComparison[] = [];
  for (const [i, survey] of surveys.entries()) {
    const known = await readClusterRows(db.rows, survey, restoredAt),
      unlabelled = await findUnlabelled(opened[i]!, call, survey, known);
    compared.push({ survey, rows: known, trust, domainConfig: config, unlabelled, restoredAt, isOwn });
  }
  return compared;
}

/** Finds namespaces that database rows name but a list by label omits, because they lack Wheelwright's label. */
async function findUnlabelled(
  cluster: Cluster,
  call: ClusterCall,
  { name, namespaces }: ClusterSurvey,
  { hubs, spokes }: ClusterRows,
): Promise<Map<string, string>> {
  const unlabelled = new Map<string, string>();
  for (const row of [...hubs.values(), ...spokes.values()]) {
    if (row.cluster !== name || row.state === "removed" || row.namespaceUid === null || namespaces.has(row.namespace)) {
      continue;
    }
    const existing = await cluster.findNamespace(row.namespace, call);
    if (existing) unlabelled.set(row.namespace, existing.metadata.uid!);
  }
  return unlabelled;
}

interface ResolutionOutcome {
  readonly findings: ReadonlyMap<Discrepancy, Finding>;
  /** The number of changes that could not be applied. */
  readonly refused: number;
}

/** Applies all changes, then retries refused ones once: a spoke's domain may be free only after a later change. */
async function resolveEach(
  discrepancies: readonly Discrepancy[],
  mode: "reported" | "applied",
  act: (resolution: DiscrepancyResolution) => Promise<string | null>,
): Promise<ResolutionOutcome> {
  const refusals = new Map<Discrepancy, string>();
  const pass = async (some: readonly Discrepancy[]) => {
    for (const discrepancy of some) {
      const refusal = discrepancy.resolution ? await act(discrepancy.resolution) : null;
      if (refusal === null) refusals.delete(discrepancy);
      else refusals.set(discrepancy, refusal);
    }
  };
  await pass(discrepancies);
  await pass([...refusals.keys()]);
  const findings = discrepancies.map((discrepancy) =>
    [discrepancy, buildFinding(discrepancy, mode, refusals.get(discrepancy) ?? null)] as const
  );
  return { findings: new Map(findings), refused: refusals.size };
}

async function applyAll(
  { db, requester, signal }: ReconcileContext,
  discrepancies: readonly Discrepancy[],
): Promise<ResolutionOutcome> {
  return await resolveEach(discrepancies, "applied", async (resolution) => {
    signal.throwIfAborted();
    return await db.transact((tx) => resolution.apply(tx, requester));
  });
}

class PreviewRollback extends Error {}

async function previewAll(
  { db, requester }: ReconcileContext,
  discrepancies: readonly Discrepancy[],
): Promise<ResolutionOutcome> {
  let outcome: ResolutionOutcome | undefined;
  await db.transact(async (tx: Tx) => {
    outcome = await resolveEach(discrepancies, "reported", (resolution) => resolution.apply(tx, requester));
    throw new PreviewRollback();
  }).catch((error) => {
    if (!(error instanceof PreviewRollback)) throw error;
  });
  return outcome!;
}

/** Lets operations resume, even if some changes could not be applied: they can be fixed only while replicas run. */
async function releaseHold(
  { db, apply, allClusters, requester }: ReconcileContext,
  hold: DatabaseHold | null,
  refused: number,
): Promise<Finding[]> {
  if (hold === null) return [];
  const check = "held", time = hold.takenAt.toISOString().slice(0, 16).replace("T", " ");
  const since = `The database was restored to ${time} UTC, and operations are paused`;
  if (!apply) return [{ check, level: "warning", message: `${since}; they would resume` }];
  if (!allClusters) return [{ check, level: "warning", message: `${since}; the other clusters are not compared yet` }];
  await db.transact((tx) => releaseDatabaseHold(tx, requester));
  return [
    createPass(
      check,
      `Operations resume${refused > 0 ? `; ${formatCount(refused, "change")} could not be applied` : ""}`,
    ),
  ];
}

/** Reports clusters that database rows refer to but that are no longer configured. */
async function reportUnknownClusters({ db, clusterNames, allClusters }: ReconcileContext): Promise<Finding[]> {
  if (!allClusters) return [];
  const found = await Promise.all(
    (["federations", "spokes"] as const).map((table) =>
      db.rows.selectFrom(table as "spokes").select("cluster").distinct().where("state", "<>", "removed")
        .where("cluster", "not in", clusterNames).execute()
    ),
  );
  return [...new Set(found.flat().map(({ cluster }) => cluster))].map((cluster) =>
    createFailure(
      "clusters",
      `Hubs or spokes use cluster ${cluster}, which is no longer configured`,
      "Check CATALOG.",
    )
  );
}

function reportUnlistableKinds({ unlistableKinds, contents }: ClusterSurvey): Finding[] {
  if (unlistableKinds.length === 0 && contents !== null) return [];
  const kinds = [...new Set(unlistableKinds)].join(", ");
  if (kinds === "") return [];
  return [{
    check: "permissions",
    level: "warning",
    message: `These kinds of objects could not be listed: ${kinds}`,
    hint: PERMISSIONS_HINT,
  }];
}
const PERMISSIONS_HINT = "Grant the account the permissions that wheelwright doctor --rbac prints.";

function reportAgreement(
  { namespaces }: ClusterSurvey,
  known: ClusterRows,
  discrepancies: readonly Discrepancy[],
): Finding[] {
  const currentNamespaces = [...namespaces.values()].filter(({ terminating }) => !terminating);
  const hubs = currentNamespaces.filter(({ hubId, spokeId }) => !spokeId && known.hubs.has(hubId ?? "")).length;
  const spokes = currentNamespaces.filter(({ spokeId }) => known.spokes.has(spokeId ?? "")).length;
  const findingsOf = `${formatCount(hubs, "hub")} and ${formatCount(spokes, "spoke")} match the database`;
  return discrepancies.length === 0 ? [createPass("agreement", findingsOf)] : [];
}
