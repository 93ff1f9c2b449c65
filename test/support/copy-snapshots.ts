/**
 * Simulates storage that outlives a cluster: copies snapshots to another simulated cluster, with the same handles.
 */
import type { Simulator } from "#lib/dev/simulator/open.ts";

/** Copies the snapshots, but not the original volumes. */
export function copySnapshots(from: Simulator, to: Simulator): void {
  for (const [handle, data] of from.volumes.entries()) {
    if (data.restoreSize !== undefined) to.volumes.write(handle, structuredClone(data));
  }
}
