/**
 * What keeps a snapshot from being ready. Its controllers try again for ever and write the last error into its status, with
 * the time at which that was first said: what they still say after as long as a volume may take, they will say for good.
 */
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { type Clock, type Diagnosis, impossible, until } from "#lib/drivers/cluster/trouble/verdict.ts";

const HINT = "See the logs of the snapshot controller and of the storage driver; there may be no room for snapshots.";

/** Undefined where it has no error. */
export function snapshotTrouble(snapshot: KubeObject, clock: Clock): Diagnosis | undefined {
  const error = snapshot["status"]?.error;
  if (!error?.message) return undefined;
  const told = Date.parse(error.time ?? "");
  const since = Number.isNaN(told) ? clock.since : told;
  const message = `The snapshot ${snapshot.metadata.name} is not ready: ${error.message}`;
  const verdict = impossible("SnapshotFailed", message, "cluster", HINT);
  return until(since + clock.patience.volumeMs, clock, message, verdict);
}
