/** Checks a cluster's spokes. If the cluster does not respond, marks the health of its spokes as unknown. */
import type { App } from "#lib/app.ts";
import { Fault } from "#lib/base/errors.ts";
import { isClusterOverloaded, isClusterUnavailable } from "#lib/drivers/cluster/availability.ts";
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { checkCluster } from "#lib/workers/sweep/check-cluster.ts";
import { listSpokesWithHealth, markHealthUnknown, markSpokeHealthUnknown } from "#lib/workers/sweep/rows.ts";
import type { SweepPace } from "#lib/workers/sweep/spoke-facts.ts";

/** The number of failed attempts after which a cluster counts as unavailable. A single failure may be a coincidence. */
const MAX_ATTEMPTS = 2;

export async function checkClusterOrMarkUnknown(
  app: App,
  run: JobRun,
  cluster: string,
  pace: SweepPace,
): Promise<void> {
  try {
    await checkCluster(app, run, cluster, pace);
  } catch (error) {
    run.signal.throwIfAborted();
    if (!(error instanceof ClusterError) || !isClusterUnavailable(error) || run.job.attempt < MAX_ATTEMPTS) throw error;
    const reason = isClusterOverloaded(error) ? "The cluster is busy" : "The cluster does not respond";
    while (!await run.write((tx) => markHealthUnknown(tx, cluster, reason)));
    await markLockedRows(app, run, cluster, reason);
    throw error;
  }
}

/**
 * Marks the health of the remaining spokes, whose rows were locked before, as unknown. Waits for each lock. If a row
 * stays locked, the next attempt of the job tries again.
 */
async function markLockedRows({ db }: App, run: JobRun, cluster: string, reason: string): Promise<void> {
  for (const id of await listSpokesWithHealth(db.rows, cluster)) {
    try {
      await run.write((tx) => markSpokeHealthUnknown(tx, id, reason));
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== "database_locked") throw error;
      run.log.warn("Cannot mark the health of a spoke as unknown: its row is locked", { spoke: id, cluster });
    }
  }
}
