/**
 * Resolves differences between a restored database and the clusters (lib/doctor/reconcile finds them): adds the hubs,
 * spokes and backups that the database lacks. Writes only to the database. The preview runs all changes in one
 * transaction and rolls it back. Otherwise, each change has its own transaction, so that the command can be repeated
 * after a crash.
 */
import { sql } from "kysely";
import { Refusal } from "#lib/base/refusals.ts";
import type { Requester } from "#lib/audit/requester.ts";
import { formatCount } from "#lib/base/text.ts";
import { createFailure, createPass, createWarning, type Finding, type FindingSection } from "#lib/doctor/finding.ts";
import { type ComparisonContext, type Differences, findDifferences } from "#lib/doctor/reconcile/compare.ts";
import type { DatabaseChange, Discrepancy } from "#lib/doctor/reconcile/discrepancy.ts";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";
import { type DatabaseHold, readDatabaseHold, releaseDatabaseHold } from "#lib/installation/database-hold.ts";
import { adoptHub, updateHubFromRecord } from "#lib/recovery/adoption/adopt-hubs.ts";
import { adoptSpoke, updateSpokeFromRecord } from "#lib/recovery/adoption/adopt-spokes.ts";
import { adoptBackups } from "#lib/recovery/adoption/adopt-backups.ts";
import { markMissing, raiseFences } from "#lib/recovery/adoption/changes.ts";
import { cancelOperations } from "#lib/recovery/adoption/cancel-operations.ts";

export interface ReconcileContext extends ComparisonContext {
  readonly apply: boolean;
  readonly requester: Requester;
}

/**
 * Compares the database with the clusters, and applies the changes if `apply` is set. Throws a ClusterError if a
 * cluster does not respond, because partial results would be misleading.
 */
export async function reconcileDatabase(context: ReconcileContext): Promise<FindingSection[]> {
  const { db, apply } = context, hold = await readDatabaseHold(db.rows);
  if (apply && hold === null && await hasRunningReplica(db.rows)) return [createSection(null, [REPLICAS_RUNNING])];
  const differences = await findDifferences(context, hold), { clusters, fences, unknownClusters } = differences;
  const { findings, refused } = await (apply ? applyAll : previewAll)(context, differences);
  const findingsOf = (discrepancies: readonly Discrepancy[]) => discrepancies.map((each) => findings.get(each)!);
  const own = [...findingsOf(fences), ...unknownClusters, ...await releaseHold(context, hold, refused)];
  return [
    createSection(null, own.length > 0 ? own : [createPass("fences", "higher than all fences in the clusters")]),
    ...clusters.map((each) => createSection(each.cluster, [...findingsOf(each.discrepancies), ...each.findings])),
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

interface ResolutionOutcome {
  readonly findings: ReadonlyMap<Discrepancy, Finding>;
  /** The number of changes that could not be applied. */
  readonly refused: number;
}

/** Applies all changes, then retries refused ones once: a spoke's domain may be free only after a later change. */
async function resolveEach(
  { clusters, fences }: Differences,
  mode: "reported" | "applied",
  act: (change: DatabaseChange) => Promise<void>,
): Promise<ResolutionOutcome> {
  // Raises the database's fencing token (claim number) last: while it is low, it shows that the database is outdated.
  const discrepancies = [...clusters.flatMap((each) => each.discrepancies), ...fences];
  const refusals = new Map<Discrepancy, Refusal>();
  for (const pass of [() => discrepancies, () => [...refusals.keys()]]) {
    for (const discrepancy of pass()) {
      refusals.delete(discrepancy);
      if (!discrepancy.resolution) continue;
      await act(discrepancy.resolution.change).catch((error) => {
        if (!(error instanceof Refusal)) throw error;
        refusals.set(discrepancy, error);
      });
    }
  }
  const findings = discrepancies.map((each) => [each, buildFinding(each, mode, refusals.get(each))] as const);
  return { findings: new Map(findings), refused: refusals.size };
}

function buildFinding(
  { check, fact, hint, level: ownLevel, resolution }: Discrepancy,
  mode: "reported" | "applied",
  refusal: Refusal | undefined,
): Finding {
  if (refusal) {
    const message = `${fact}; could not be ${resolution?.result}: ${refusal.message}`;
    return { check, level: "failing", message, hint: hint ?? refusal.hint, code: refusal.code };
  }
  if (!resolution) return { check, level: ownLevel ?? "warning", message: fact, hint };
  const [verb, level] = mode === "reported" ? ["would be ", "warning"] as const : ["", "ok"] as const;
  return { check, level: ownLevel ?? level, message: `${fact}; ${verb}${resolution.result}`, hint };
}

async function applyAll(context: ReconcileContext, differences: Differences): Promise<ResolutionOutcome> {
  return await resolveEach(differences, "applied", async (change) => {
    context.signal.throwIfAborted();
    return await context.db.transact((tx) => makeChange(tx, context, differences.restoredAt, change));
  });
}

class PreviewRollback extends Error {}

async function previewAll(context: ReconcileContext, differences: Differences): Promise<ResolutionOutcome> {
  let outcome: ResolutionOutcome | undefined;
  await context.db.transact(async (tx) => {
    outcome = await resolveEach(
      differences,
      "reported",
      (change) => makeChange(tx, context, differences.restoredAt, change),
    );
    throw new PreviewRollback();
  }).catch((error) => {
    if (!(error instanceof PreviewRollback)) throw error;
  });
  return outcome!;
}

/** Checks the difference again and changes the database. Throws a Refusal if the change is impossible. */
async function makeChange(
  tx: Tx,
  { requester, config }: ReconcileContext,
  restoredAt: Date | null,
  change: DatabaseChange,
): Promise<void> {
  switch (change.kind) {
    case "adopt":
    case "update": {
      const { found, kind } = change, { siteRecord } = found;
      if ("federationId" in siteRecord) {
        const spoke = { ...found, siteRecord };
        return kind === "adopt"
          ? await adoptSpoke(tx, requester, config, spoke)
          : await updateSpokeFromRecord(tx, requester, config, spoke, restoredAt);
      }
      const hub = { ...found, siteRecord };
      return kind === "adopt"
        ? await adoptHub(tx, requester, hub)
        : await updateHubFromRecord(tx, requester, hub, restoredAt);
    }
    case "mark-missing":
      return await markMissing(tx, requester, change.row);
    case "cancel-operations":
      return await cancelOperations(tx, requester, change);
    case "adopt-backups":
      return await adoptBackups(tx, requester, change);
    case "raise-fences":
      return await raiseFences(tx, change.minimum);
  }
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
  if (!apply) return [createWarning(check, `${since}; they would resume`)];
  if (!allClusters) return [createWarning(check, `${since}; the other clusters are not compared yet`)];
  await db.transact((tx) => releaseDatabaseHold(tx, requester));
  const failed = refused > 0 ? `; ${formatCount(refused, "change")} could not be applied` : "";
  return [createPass(check, `Operations resume${failed}`)];
}
