/**
 * Runs the sweep: checks the health and drift of each cluster's active spokes every minute.
 * `sweep` only queues a `look` for each cluster, so that a slow cluster does not delay the others. The next check
 * starts at least a minute after the last one ended.
 * A check lists each kind except Secrets across all namespaces, in pages of 500. It compares at most 200 objects (three
 * calls each) and some Secrets. A spoke of the built-in blueprint has 28 objects of 12 kinds, 4 of them Secrets. Up to
 * 55 spokes need 11 pages, and 10,000 need 480. With a pause of 0.3 s before each page, a check makes about two calls
 * per second. A check of 10,000 spokes would take minutes, so clusters with 2,000 or more are watched for half an
 * hour per check (check-cluster.ts).
 */
import { SYSTEM_REQUESTER } from "#lib/audit/requester.ts";
import type { App } from "#lib/app.ts";
import { recordChange } from "#lib/changes/record.ts";
import type { NewJob } from "#lib/jobs/job.ts";
import type { JobKind } from "#lib/operations/plan.ts";
import type { Handler } from "#lib/scheduler/handler.ts";
import { HOUR, MINUTE } from "#lib/base/time.ts";
import { checkClusterOrMarkUnknown } from "#lib/workers/sweep/unavailable-cluster.ts";
import type { SweepPace, WatchPace } from "#lib/workers/sweep/spoke-facts.ts";
import { upkeepHandler } from "#lib/workers/upkeep/upkeep.ts";

/** The job kind of a check. It does not repeat itself, because the sweep determines the clusters in use each time. */
const CLUSTER_CHECK: JobKind = {
  kind: "check-cluster",
  plan: 1,
  visible: false,
  steps: [{ name: "spokes", label: "Checking the spokes of a cluster", timeout: 50 * MINUTE }],
  timeLimit: HOUR,
};

const WATCH_PACE: WatchPace = { minSpokes: 2000, relistMs: 30 * MINUTE, failedCheckMs: MINUTE, burstMs: 500 };
export const SWEEP_PACE: SweepPace = { page: 500, pauseMs: 300, maxComparisons: 200, maxReads: 100, watch: WATCH_PACE };

export function sweep({ db }: Pick<App, "db">): Handler {
  return upkeepHandler({ kind: "sweep", limit: 10 * MINUTE, every: MINUTE }, {
    clusters: ["Finding the clusters to check", MINUTE, async (run) => {
      const found = await db.rows.selectFrom("spokes").select("cluster").distinct()
        .where("state", "=", "active").where("namespaceUid", "is not", null).execute();
      if (found.length === 0) return;
      await run.write((tx) =>
        recordChange(tx, SYSTEM_REQUESTER, { jobs: found.map(({ cluster }) => createClusterCheckJob(cluster)) })
      );
    }],
  });
}

export function createClusterCheck(app: App, pace: SweepPace = SWEEP_PACE): Handler {
  return {
    kind: CLUSTER_CHECK,
    steps: { spokes: (run) => checkClusterOrMarkUnknown(app, run, String(run.job.payload.cluster), pace) },
  };
}

/** Returns the job that checks a cluster. Each cluster has at most one such job at a time. */
export function createClusterCheckJob(cluster: string): NewJob {
  return {
    kind: CLUSTER_CHECK,
    lane: null,
    federationId: null,
    spokeId: null,
    payload: { cluster },
    dedupeKey: `check-cluster:${cluster}`,
  };
}
