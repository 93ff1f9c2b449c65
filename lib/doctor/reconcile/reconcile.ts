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
import { count, failing, type Finding, passing, type Section } from "#lib/doctor/finding.ts";
import { judgeBackups } from "#lib/doctor/reconcile/judge-backups.ts";
import { judgeFences, judgeSandboxes, readFence } from "#lib/doctor/reconcile/judge-rest.ts";
import type { Judged } from "#lib/doctor/reconcile/judge-rows.ts";
import { judgeRemains } from "#lib/doctor/reconcile/judge-remains.ts";
import { judgeHubs, judgeSpokes } from "#lib/doctor/reconcile/judge-spokes.ts";
import { type Deed, findingOf, type Matter } from "#lib/doctor/reconcile/matter.ts";
import { type KnownRows, listNamespaces, readKnownRows } from "#lib/doctor/reconcile/rows.ts";
import { type ClusterSight, surveyCluster } from "#lib/doctor/reconcile/sight.ts";
import { isOfRelease } from "#lib/moodle/names.ts";
import type { Requester } from "#lib/audit/requester.ts";
import { type DatabaseHold, readDatabaseHold, releaseDatabaseHold } from "#lib/installation/database-hold.ts";
import { readInstallation } from "#lib/installation/installation.ts";

export interface Reconciling extends Pick<App, "db" | "clusters" | "config"> {
  /** The clusters to compare with, and whether these are all configured clusters. */
  readonly names: readonly string[];
  readonly whole: boolean;
  readonly apply: boolean;
  /** Namespaces whose records are trusted even if another installation signed them. */
  readonly accepted: readonly string[];
  readonly asker: Requester;
  readonly signal: AbortSignal;
}

/**
 * Compares the database with the clusters, and optionally applies the changes. Throws a ClusterError if a cluster does
 * not answer, because partial results would be misleading.
 */
export async function reconcile(place: Reconciling): Promise<Section[]> {
  const { db, apply } = place, hold = await readDatabaseHold(db.rows);
  if (apply && hold === null && await isServed(db.rows)) return [section(null, [SERVED])];
  const judged = await lookAtAll(place, hold);
  const sections = judged.map((each) => ({
    name: each.sight.name,
    matters: [
      ...[...judgeHubs(each), ...judgeSpokes(each), ...judgeBackups(each), ...judgeSandboxes(each)],
      ...judgeRemains(each),
    ],
    ...each,
  }));
  const fences = judgeFences(judged.map(({ sight }) => sight), await readFence(db.rows));
  // Fences are applied last, because they show that the database is outdated.
  const all = [...sections.flatMap(({ matters }) => matters), ...fences];
  const { findings, refused } = apply ? await applyAll(place, all) : await tryAll(place, all);
  const told = (matters: readonly Matter[]) => matters.map((matter) => findings.get(matter)!);
  const own = [...told(fences), ...await findUnknown(place), ...await letGo(place, hold, refused)];
  return [
    section(null, own.length > 0 ? own : [passing("fences", "are above all that the clusters show")]),
    ...sections.map(({ name, matters, sight, known }) =>
      section(name, [...told(matters), ...unseen(sight), ...agreeing(sight, known, matters)])
    ),
  ];
}

const SERVED = failing(
  "replicas",
  "serve runs, and goes by the database as it is",
  "Stop every replica, then apply again: nothing was written.",
);

function section(cluster: string | null, findings: readonly Finding[]): Section {
  return { place: cluster === null ? "database" : "cluster", name: cluster, where: null, findings };
}

/** Returns whether a replica sent a heartbeat within the last 10 s. */
async function isServed(rows: Rows): Promise<boolean> {
  const beating = await rows.selectFrom("replicas").select("id").where("stoppedAt", "is", null)
    .where("heartbeatAt", ">", sql<Date>`wheelwright_now() - interval '10 seconds'`).limit(1).executeTakeFirst();
  return beating !== undefined;
}

async function lookAtAll(place: Reconciling, hold: DatabaseHold | null): Promise<Judged[]> {
  const { db, clusters, config, names, accepted, signal } = place, call = { signal };
  const trust = { installation: await readInstallation(db.rows), accepted: new Set(accepted) };
  const opened = await Promise.all(names.map((name) => clusters.open(name)));
  const known = new Set(await listNamespaces(db.rows));
  const isOwn = (name: string): boolean => isOfRelease(name, config.releaseId) || known.has(name);
  const sights = await Promise.all(opened.map((cluster) => surveyCluster(cluster, isOwn, call)));
  const last = await readFence(db.rows), isBehind = sights.some(({ fence }) => fence > last);
  const restoredAt = hold?.restoredAt ?? (isBehind ? await db.now() : null);
  const judged: Judged[] = [];
  for (const [i, sight] of sights.entries()) {
    const known = await readKnownRows(db.rows, sight, restoredAt),
      unlabelled = await findUnlabelled(opened[i]!, call, sight, known);
    judged.push({ sight, known, trust, names: config, unlabelled, restoredAt, isOwn });
  }
  return judged;
}

/** Finds existing namespaces that lack our label. A list by label does not include them. */
async function findUnlabelled(
  cluster: Cluster,
  call: Call,
  { name, namespaces }: ClusterSight,
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
  readonly findings: ReadonlyMap<Matter, Finding>;
  /** The number of changes that were refused. */
  readonly refused: number;
}

/** Runs all changes. Repeats refused ones once, because two spokes may have swapped their domains. */
async function eachMatter(
  matters: readonly Matter[],
  mode: "told" | "applied",
  act: (deed: Deed) => Promise<string | null>,
): Promise<Outcome> {
  const refusals = new Map<Matter, string>();
  const pass = async (some: readonly Matter[]) => {
    for (const matter of some) {
      const refusal = matter.deed ? await act(matter.deed) : null;
      if (refusal === null) refusals.delete(matter);
      else refusals.set(matter, refusal);
    }
  };
  await pass(matters);
  await pass([...refusals.keys()]);
  const findings = matters.map((matter) => [matter, findingOf(matter, mode, refusals.get(matter) ?? null)] as const);
  return { findings: new Map(findings), refused: refusals.size };
}

async function applyAll({ db, asker, signal }: Reconciling, matters: readonly Matter[]): Promise<Outcome> {
  return await eachMatter(matters, "applied", async (deed) => {
    signal.throwIfAborted();
    return await db.transact((tx) => deed.act(tx, asker));
  });
}

class RolledBack extends Error {}

async function tryAll({ db, asker }: Reconciling, matters: readonly Matter[]): Promise<Outcome> {
  let outcome: Outcome | undefined;
  await db.transact(async (tx: Tx) => {
    outcome = await eachMatter(matters, "told", (deed) => deed.act(tx, asker));
    throw new RolledBack();
  }).catch((error) => {
    if (!(error instanceof RolledBack)) throw error;
  });
  return outcome!;
}

/** Releases the held database, even if changes were refused: users need running replicas to resolve them. */
async function letGo(
  { db, apply, whole, asker }: Reconciling,
  hold: DatabaseHold | null,
  refused: number,
): Promise<Finding[]> {
  if (hold === null) return [];
  const check = "held", time = hold.takenAt.toISOString().slice(0, 16).replace("T", " ");
  const since = `The database was restored to ${time} UTC, and no operation runs`;
  if (!apply) return [{ check, level: "warning", told: `${since}; that would end` }];
  if (!whole) return [{ check, level: "warning", told: `${since}: the other clusters are not compared yet` }];
  await db.transact((tx) => releaseDatabaseHold(tx, asker));
  return [passing(check, `Replicas go on${refused > 0 ? `; ${count(refused, "thing")} could not be done` : ""}`)];
}

/** Reports clusters that rows use but that are no longer configured. */
async function findUnknown({ db, names, whole }: Reconciling): Promise<Finding[]> {
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

function unseen({ unseen, contents }: ClusterSight): Finding[] {
  if (unseen.length === 0 && contents !== null) return [];
  const kinds = [...new Set(unseen)].join(", ");
  if (kinds === "") return [];
  return [{ check: "rights", level: "warning", told: `What is in these could not be seen: ${kinds}`, hint: RIGHTS }];
}
const RIGHTS = "Give the account the rights of wheelwright doctor --rbac.";

function agreeing({ namespaces }: ClusterSight, known: KnownRows, matters: readonly Matter[]): Finding[] {
  const standing = [...namespaces.values()].filter(({ going }) => !going);
  const hubs = standing.filter(({ hubId, spokeId }) => !spokeId && known.hubs.has(hubId ?? "")).length;
  const spokes = standing.filter(({ spokeId }) => known.spokes.has(spokeId ?? "")).length;
  const told = `${count(hubs, "hub")} and ${count(spokes, "spoke")} stand here, and the database knows them`;
  return matters.length === 0 ? [passing("agreement", told)] : [];
}
