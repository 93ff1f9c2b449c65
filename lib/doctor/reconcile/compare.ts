/** Compares the database with the clusters, after the database was restored or a cluster was damaged. Only reads. */
import type { App } from "#lib/app.ts";
import type { RowQueries } from "#lib/drivers/db/database.ts";
import type { Cluster, ClusterCall } from "#lib/drivers/cluster/cluster.ts";
import type { DatabaseHold } from "#lib/installation/database-hold.ts";
import { readInstallation } from "#lib/installation/installation.ts";
import { isReleaseNamespaceName } from "#lib/moodle/names.ts";
import { formatCount } from "#lib/base/text.ts";
import { createFailure, createPass, createWarning, type Finding } from "#lib/doctor/finding.ts";
import { checkBackups } from "#lib/doctor/reconcile/check-backups.ts";
import { checkFences, checkSandboxes, readLastFence } from "#lib/doctor/reconcile/check-fences.ts";
import { checkOrphanedVolumes } from "#lib/doctor/reconcile/check-orphans.ts";
import { checkHubsInCluster, checkSpokesInCluster } from "#lib/doctor/reconcile/compare-rows.ts";
import type { ClusterComparison, Discrepancy } from "#lib/doctor/reconcile/discrepancy.ts";
import { type ClusterRows, listStoredNamespaces, readClusterRows } from "#lib/doctor/reconcile/rows.ts";
import { type ClusterSurvey, surveyCluster } from "#lib/doctor/reconcile/survey.ts";

export interface ComparisonContext extends Pick<App, "db" | "clusters" | "config"> {
  readonly clusterNames: readonly string[];
  /** Whether `clusterNames` contains all configured clusters. */
  readonly allClusters: boolean;
  /** Namespaces whose site records are trusted, even if another installation signed them. */
  readonly acceptedNamespaces: readonly string[];
  readonly signal: AbortSignal;
}

interface ClusterDifferences {
  readonly cluster: string;
  readonly discrepancies: readonly Discrepancy[];
  /** Findings that need no change of the database. */
  readonly findings: readonly Finding[];
}

export interface Differences {
  readonly clusters: readonly ClusterDifferences[];
  readonly fences: readonly Discrepancy[];
  /** Clusters that database rows refer to but that are no longer configured. */
  readonly unknownClusters: readonly Finding[];
  /** When the database was restored from a backup; null if no restore is known. */
  readonly restoredAt: Date | null;
}

/** Throws a ClusterError if a cluster does not respond, because partial results would be misleading. */
export async function findDifferences(
  context: ComparisonContext,
  hold: DatabaseHold | null,
): Promise<Differences> {
  const { db, clusters, config, clusterNames, acceptedNamespaces, signal } = context, call = { signal };
  const trust = { installation: await readInstallation(db.rows), acceptedNamespaces: new Set(acceptedNamespaces) };
  const opened = await Promise.all(clusterNames.map((name) => clusters.open(name)));
  const known = new Set(await listStoredNamespaces(db.rows));
  const isOwn = (name: string): boolean => isReleaseNamespaceName(name, config.releaseId) || known.has(name);
  const surveys = await Promise.all(opened.map((cluster) => surveyCluster(cluster, isOwn, call)));
  const lastFence = await readLastFence(db.rows), fences = checkFences(surveys, lastFence);
  const restoredAt = hold?.restoredAt ?? (fences.length > 0 ? await db.now() : null);
  const differences: ClusterDifferences[] = [];
  for (const [i, survey] of surveys.entries()) {
    const rows = await readClusterRows(db.rows, survey, restoredAt);
    const unlabelled = await findUnlabelled(opened[i]!, call, survey, rows);
    differences.push(compareCluster({ survey, rows, trust, unlabelled, restoredAt, isOwn }));
  }
  return { clusters: differences, fences, unknownClusters: await reportUnknownClusters(context), restoredAt };
}

function compareCluster(compared: ClusterComparison): ClusterDifferences {
  const discrepancies = [
    ...[checkHubsInCluster, checkSpokesInCluster, checkBackups, checkSandboxes, checkOrphanedVolumes],
  ].flatMap((check) => check(compared));
  const { survey, rows } = compared;
  const findings = [
    ...reportUnlistableKinds(survey),
    ...(discrepancies.length === 0 ? [reportAgreement(survey, rows)] : []),
  ];
  return { cluster: survey.name, discrepancies, findings };
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

async function reportUnknownClusters({ db, clusterNames, allClusters }: ComparisonContext): Promise<Finding[]> {
  if (!allClusters) return [];
  const read = async (rows: RowQueries, table: "federations" | "spokes") =>
    await rows.selectFrom(table as "spokes").select("cluster").distinct().where("state", "<>", "removed")
      .where("cluster", "not in", clusterNames).execute();
  const found = [...await read(db.rows, "federations"), ...await read(db.rows, "spokes")];
  return [...new Set(found.map(({ cluster }) => cluster))].map((cluster) =>
    createFailure(
      "clusters",
      `Hubs or spokes use cluster ${cluster}, which is no longer configured`,
      "Check CATALOG.",
    )
  );
}

function reportUnlistableKinds({ unlistableKinds }: ClusterSurvey): Finding[] {
  if (unlistableKinds.length === 0) return [];
  const message = `These kinds of objects could not be listed: ${[...new Set(unlistableKinds)].join(", ")}`;
  const hint = "Grant the account the permissions that wheelwright doctor --rbac prints.";
  return [createWarning("permissions", message, hint)];
}

function reportAgreement({ namespaces }: ClusterSurvey, rows: ClusterRows): Finding {
  const current = [...namespaces.values()].filter(({ terminating }) => !terminating);
  const hubs = current.filter(({ hubId, spokeId }) => !spokeId && rows.hubs.has(hubId ?? "")).length;
  const spokes = current.filter(({ spokeId }) => rows.spokes.has(spokeId ?? "")).length;
  return createPass("agreement", `${formatCount(hubs, "hub")} and ${formatCount(spokes, "spoke")} match the database`);
}
