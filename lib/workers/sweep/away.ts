/** Looks at a cluster; where it does not answer for a while, the health of its spokes is unknown until it does. */
import type { App } from "#lib/app.ts";
import { isClusterAway, isClusterBusy } from "#lib/drivers/cluster/away.ts";
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import type { Run } from "#lib/scheduler/handler.ts";
import { lookAtCluster } from "#lib/workers/sweep/follow.ts";
import { forgetHealth } from "#lib/workers/sweep/rows.ts";
import type { Pace } from "#lib/workers/sweep/sight.ts";

/** A try that fails may be followed by one that does not: two say that the cluster is away. */
const TRIES = 2;

export async function lookOrForget(app: App, run: Run, cluster: string, pace: Pace): Promise<void> {
  try {
    await lookAtCluster(app, run, cluster, pace);
  } catch (error) {
    run.signal.throwIfAborted();
    if (!(error instanceof ClusterError) || !isClusterAway(error) || run.job.attempt < TRIES) throw error;
    const reason = isClusterBusy(error) ? "The cluster is busy" : "The cluster does not answer";
    while (!await run.write((tx) => forgetHealth(tx, cluster, reason)));
    throw error;
  }
}
