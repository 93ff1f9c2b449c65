/** Reads which classes of snapshots a cluster offers, and stores them for the planner of backups. */
import type { App } from "#lib/app.ts";
import type { SnapshotClass } from "#lib/domains/backups/snapshot-classes.ts";
import { readSnapshotClasses, saveSnapshotClasses } from "#lib/domains/backups/store.ts";
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import { explainClusterError } from "#lib/drivers/cluster/diagnosis/explain.ts";
import { redactSecrets } from "#lib/base/redact.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { SECOND } from "#lib/base/time.ts";
import { readRetainingSnapshotClasses } from "#lib/steps/snapshot-classes.ts";

/** The time limit for reading a cluster's snapshot classes, in milliseconds, so that no cluster delays the others. */
const CLUSTER_TIMEOUT = 20 * SECOND;

/** Returns the cluster's snapshot classes that keep data. On an error, stores the reason and returns null. */
export async function readClasses(
  { db, clusters }: Pick<App, "db" | "clusters">,
  run: JobRun,
  name: string,
): Promise<readonly SnapshotClass[] | null> {
  const signal = AbortSignal.any([run.signal, AbortSignal.timeout(CLUSTER_TIMEOUT)]);
  try {
    const classes = await readRetainingSnapshotClasses(await clusters.open(name), {
      signal,
      check: run.throwIfStopped,
    });
    await saveSnapshotClasses(db.rows, name, classes);
    return classes;
  } catch (error) {
    run.throwIfStopped();
    if (!(error instanceof ClusterError) && !signal.aborted) throw error;
    const message = error instanceof ClusterError
      ? explainClusterError(error).message
      : "the cluster did not respond in time";
    const reason = redactSecrets(message); // users without access to cluster details can read this text
    const isNew = (await readSnapshotClasses(db.rows, name)).error !== reason; // logged once, not every minute
    run.log[isNew ? "warn" : "debug"]("Cannot read the snapshot classes of a cluster", { cluster: name, error });
    await saveSnapshotClasses(db.rows, name, new Error(reason));
    return null;
  }
}
