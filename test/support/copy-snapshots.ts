/**
 * Copies snapshots between simulated clusters, like storage that outlives a cluster, where handles identify snapshots.
 */
import type { Simulator } from "#lib/dev/simulator/open.ts";

/** Copies the snapshots, but not the volumes from which they were taken. */
export function copySnapshots(from: Simulator, to: Simulator): void {
  for (const [handle, data] of from.volumes.entries()) {
    if (data.restoreSize !== undefined) to.volumes.write(handle, structuredClone(data));
  }
}
