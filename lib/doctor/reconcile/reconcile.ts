/**
 * Compares a restored database with the clusters, and adopts objects that the database does not know.
 * Only the database is written, never a cluster. Existing rows that belong to others are not overwritten. A record is
 * trusted only if this installation signed it, or if an operator accepted its namespace.
 * The preview runs all changes in one transaction and rolls it back. When the changes are applied, each one is a
 * separate transaction that checks again before it writes. The command can be repeated if its process is killed.
 */
import { sql } from "kysely";
import type { App } from "#lib/app.ts";
import type { Rows, Tx } from "#lib/drivers/db/database.ts";
import type { Call, Cluster } from "#lib/drivers/cluster/cluster.ts";
import { countOf, failing, type Finding, passing, type Section } from "#lib/doctor/finding.ts";
import { checkBackups } from "#lib/doctor/reconcile/check-backups.ts";
import { checkFences, checkSandboxes, readLastFence } from "#lib/doctor/reconcile/check-fences.ts";
import type { ComparedCluster } from "#lib/doctor/reconcile/compare-rows.ts";
import { checkOrphans } from "#lib/doctor/reconcile/check-orphans.ts";
import { checkHubs, checkSpokesInCluster } from "#lib/doctor/reconcile/check-spokes.ts";
import { type Discrepancy, findingOf, type Resolution } from "#lib/doctor/reconcile/discrepancy.ts";
import { type KnownRows, listNamespaces, readKnownRows } from "#lib/doctor/reconcile/rows.ts";
import { type ClusterSurvey, surveyCluster } from "#lib/doctor/reconcile/survey.ts";
import { belongsToRelease } from "#lib/moodle/names.ts";
import type { Requester } from "#lib/audit/requester.ts";
import { type DatabaseHold, readDatabaseHold, releaseDatabaseHold } from "#lib/installation/database-hold.ts";
import { readInstallation } from "#lib/installation/installation.ts";

export interface ReconcileContext extends Pick<App, "db" | "clusters" | "config"> {
  /** The clusters to compare with, and whether these are all configured clusters. */
  readonly names: readonly string[];
  readonly whole: boolean;
  readonly apply: boolean;
  /** Namespaces whose records are trusted even if another installation signed them. */
  readonly accepted: readonly string[];
  readonly requester: Requester;
  readonly signal: AbortSignal;
}

/**
 * Compares the database with the clusters, and optionally applies the changes. Throws a ClusterError if a cluster does
 * not answer, because partial results would be misleading.
 */
export async function reconcile(context: ReconcileContext): Promise<Section[]> {
  const { db, apply } = context, hold = await readDatabaseHold(db.rows);
  if (apply && hold === null && await isServed(db.rows)) return [section(null, [SERVED])];
  const compared = await surveyAllClusters(context, hold);
  const sections = compared.map((each) => ({
    name: each.survey.name,
    discrepancies: [
      ...[...checkHubs(each), ...checkSpokesInCluster(each), ...checkBackups(each), ...checkSandboxes(each)],
      ...checkOrphans(each),
    ],
    ...each,
  }));
  const fences = checkFences(compared.map(({ survey }) => survey), await readLastFence(db.rows));
  // Fences are applied last, because they show that the database is outdated.
  const all = [...sections.flatMap(({ discrepancies }) => discrepancies), ...fences];
  const { findings, refused } = apply ? await applyAll(context, all) : await tryAll(context, all);
  const findingsOf = (discrepancies: readonly Discrepancy[]) =>
    discrepancies.map((discrepancy) => findings.get(discrepancy)!);
  const own = [...findingsOf(fences), ...await findUnknown(context), ...await releaseHold(context, hold, refused)];
  return [
    section(null, own.length > 0 ? own : [passing("fences", "are above all that the clusters show")]),
    ...sections.map(({ name, discrepancies, survey, known }) =>
      section(name, [...findingsOf(discrepancies), ...unseen(survey), ...agreeing(survey, known, discrepancies)])
    ),
  ];
}

const SERVED = failing(
  "replicas",
  "serve runs, and goes by the database as it is",
  "Stop every replica, then apply again: nothing was written.",
);

function section(cluster: string | null, findings: readonly Finding[]): Section {
  return { target: cluster === null ? "database" : "cluster", name: cluster, where: null, findings };
}

/** Returns whether a replica sent a heartbeat within the last 10 s. */
async function isServed(rows: Rows): Promise<boolean> {
  const beating = await rows.selectFrom("replicas").select("id").where("stoppedAt", "is", null)
    .where("heartbeatAt", ">", sql<Date>`wheelwright_now() - interval '10 seconds'`).limit(1).executeTakeFirst();
  return beating !== undefined;
}

async function surveyAllClusters(context: ReconcileContext, hold: DatabaseHold | null): Promise<ComparedCluster[]> {
  const { db, clusters, config, names, accepted, signal } = context, call = { signal };
  const trust = { installation: await readInstallation(db.rows), accepted: new Set(accepted) };
  const opened = await Promise.all(names.map((name) => clusters.open(name)));
  const known = new Set(await listNamespaces(db.rows));
  const isOwn = (name: string): boolean => belongsToRelease(name, config.releaseId) || known.has(name);
  const sights = await Promise.all(opened.map((cluster) => surveyCluster(cluster, isOwn, call)));
  const last = await readLastFence(db.rows), isBehind = sights.some(({ fence }) => fence > last);
  const restoredAt = hold?.restoredAt ?? (isBehind ? await db.now() : null);
  const compared: ComparedCluster[] = [];
  for (const [i, survey] of sights.entries()) {
    const known = await readKnownRows(db.rows, survey, restoredAt),
      unlabelled = await findUnlabelled(opened[i]!, call, survey, known);
    compared.push({ survey, known, trust, names: config, unlabelled, restoredAt, isOwn });
  }
  return compared;
}

/** Finds existing namespaces that lack our label. A list by label does not include them. */
async function findUnlabelled(
  cluster: Cluster,
  call: Call,
  { name, namespaces }: ClusterSurvey,
  { hubs, spokes }: KnownRows,
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const row of [...hubs.values(), ...spokes.values()]) {
    if (row.cluster !== name || row.state === "removed" || row.namespaceUid === null || namespaces.has(row.namespace)) {
      continue;
    }
    const standing = await cluster.findNamespace(row.namespace, call);
    if (standing) found.set(row.namespace, standing.metadata.uid!);
  }
  return found;
}

interface Outcome {
  readonly findings: ReadonlyMap<Discrepancy, Finding>;
  /** The number of changes that were refused. */
  readonly refused: number;
}

/** Runs all changes. Repeats refused ones once, because two spokes may have swapped their domains. */
async function resolveEach(
  discrepancies: readonly Discrepancy[],
  mode: "reported" | "applied",
  act: (resolution: Resolution) => Promise<string | null>,
): Promise<Outcome> {
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
    [discrepancy, findingOf(discrepancy, mode, refusals.get(discrepancy) ?? null)] as const
  );
  return { findings: new Map(findings), refused: refusals.size };
}

async function applyAll(
  { db, requester, signal }: ReconcileContext,
  discrepancies: readonly Discrepancy[],
): Promise<Outcome> {
  return await resolveEach(discrepancies, "applied", async (resolution) => {
    signal.throwIfAborted();
    return await db.transact((tx) => resolution.apply(tx, requester));
  });
}

class RolledBack extends Error {}

async function tryAll(
  { db, requester }: ReconcileContext,
  discrepancies: readonly Discrepancy[],
): Promise<Outcome> {
  let outcome: Outcome | undefined;
  await db.transact(async (tx: Tx) => {
    outcome = await resolveEach(discrepancies, "reported", (resolution) => resolution.apply(tx, requester));
    throw new RolledBack();
  }).catch((error) => {
    if (!(error instanceof RolledBack)) throw error;
  });
  return outcome!;
}

/** Releases the held database, even if changes were refused: users need running replicas to resolve them. */
async function releaseHold(
  { db, apply, whole, requester }: ReconcileContext,
  hold: DatabaseHold | null,
  refused: number,
): Promise<Finding[]> {
  if (hold === null) return [];
  const check = "held", time = hold.takenAt.toISOString().slice(0, 16).replace("T", " ");
  const since = `The database was restored to ${time} UTC, and no operation runs`;
  if (!apply) return [{ check, level: "warning", message: `${since}; that would end` }];
  if (!whole) return [{ check, level: "warning", message: `${since}: the other clusters are not compared yet` }];
  await db.transact((tx) => releaseDatabaseHold(tx, requester));
  return [passing(check, `Replicas go on${refused > 0 ? `; ${countOf(refused, "thing")} could not be done` : ""}`)];
}

/** Reports clusters that rows use but that are no longer configured. */
async function findUnknown({ db, names, whole }: ReconcileContext): Promise<Finding[]> {
  if (!whole) return [];
  const found = await Promise.all(
    (["federations", "spokes"] as const).map((table) =>
      db.rows.selectFrom(table as "spokes").select("cluster").distinct().where("state", "<>", "removed")
        .where("cluster", "not in", names).execute()
    ),
  );
  return [...new Set(found.flat().map(({ cluster }) => cluster))].map((cluster) =>
    failing("clusters", `The cluster ${cluster} is in use by hubs or spokes, and configured no more`, "See CATALOG.")
  );
}

function unseen({ unseen, contents }: ClusterSurvey): Finding[] {
  if (unseen.length === 0 && contents !== null) return [];
  const kinds = [...new Set(unseen)].join(", ");
  if (kinds === "") return [];
  return [{ check: "rights", level: "warning", message: `What is in these could not be seen: ${kinds}`, hint: RIGHTS }];
}
const RIGHTS = "Give the account the rights of wheelwright doctor --rbac.";

function agreeing({ namespaces }: ClusterSurvey, known: KnownRows, discrepancies: readonly Discrepancy[]): Finding[] {
  const standing = [...namespaces.values()].filter(({ terminating }) => !terminating);
  const hubs = standing.filter(({ hubId, spokeId }) => !spokeId && known.hubs.has(hubId ?? "")).length;
  const spokes = standing.filter(({ spokeId }) => known.spokes.has(spokeId ?? "")).length;
  const findingsOf = `${countOf(hubs, "hub")} and ${countOf(spokes, "spoke")} stand here, and the database knows them`;
  return discrepancies.length === 0 ? [passing("agreement", findingsOf)] : [];
}
