/** Storage that outlives its cluster, as disks in another building do: its snapshots are known by their handles. */
import type { Simulator } from "#lib/dev/simulator/open.ts";

/** The snapshots, and not the volumes that they are of. */
export function carrySnapshots(from: Simulator, to: Simulator): void {
  for (const [handle, data] of from.volumes.entries()) {
    if (data.restoreSize !== undefined) to.volumes.write(handle, structuredClone(data));
  }
}
