/**
 * Queues a check of each cluster's active spokes every minute. A separate job checks each cluster, so that a slow
 * cluster does not delay the others. A check lists all kinds of objects except Secrets, in pages of 500, and compares
 * at most 200 objects by dry run. With a pause of 0.3 s before each page, it makes about two API calls per second. A
 * check of 10,000 spokes would take minutes, so clusters with 2,000 or more spokes are watched instead
 * (check-cluster.ts).
 */
import { SYSTEM_REQUESTER } from "#lib/audit/requester.ts";
import type { App } from "#lib/app.ts";
import { recordChange } from "#lib/changes/record.ts";
import * as v from "valibot";
import { createJob, type NewJob } from "#lib/jobs/job.ts";
import { declareJobKind } from "#lib/operations/plan.ts";
import { createHandler, type JobHandler } from "#lib/scheduler/handler.ts";
import { HOUR, MINUTE } from "#lib/base/time.ts";
import { checkClusterOrMarkUnknown } from "#lib/workers/sweep/unavailable-cluster.ts";
import type { SweepPace, WatchPace } from "#lib/workers/sweep/spoke-facts.ts";
import { upkeepHandler } from "#lib/steps/upkeep.ts";

/** The kind of job that checks one cluster. Every minute, the sweep queues one for each cluster that has spokes. */
const CLUSTER_CHECK = declareJobKind({
  kind: "check-cluster",
  steps: { spokes: ["Checking the spokes of a cluster", 50 * MINUTE] },
  timeLimit: HOUR,
  payload: v.object({ cluster: v.string() }),
});

const WATCH_PACE: WatchPace = { minSpokes: 2000, relistMs: 30 * MINUTE, failedCheckMs: MINUTE, burstMs: 500 };
export const SWEEP_PACE: SweepPace = { page: 500, pauseMs: 300, maxComparisons: 200, maxReads: 100, watch: WATCH_PACE };

export function sweepHandler({ db }: Pick<App, "db">): JobHandler {
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

export function clusterCheckHandler(app: App, pace: SweepPace = SWEEP_PACE): JobHandler {
  return createHandler({
    kind: CLUSTER_CHECK,
    steps: { spokes: (run) => checkClusterOrMarkUnknown(app, run, run.job.payload.cluster, pace) },
  });
}

/** Creates the job that checks a cluster. It is not queued again while such a job for the cluster is unfinished. */
export function createClusterCheckJob(cluster: string): NewJob {
  return createJob(CLUSTER_CHECK, { cluster }, { dedupeKey: `check-cluster:${cluster}` });
}
