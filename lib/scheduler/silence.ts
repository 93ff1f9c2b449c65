/**
 * Finds replicas that have stopped responding: their heartbeat has not changed for 4 s on this replica's monotonic
 * clock. The database's clock is not used, because it may be set back. If this replica loses its own lease, it waits
 * the full 4 s again for every replica, because the same problem may have delayed their heartbeats too.
 */
import type { ReplicaHeartbeat } from "#lib/jobs/claim.ts";
import type { ReplicaLease } from "#lib/scheduler/replica.ts";
import { SECOND } from "#lib/base/time.ts";

/** The time without a heartbeat after which a replica's jobs are taken over, in milliseconds. */
export const HEARTBEAT_SILENCE_LIMIT = 4 * SECOND;

export interface SilenceDetector {
  /** Returns the replicas that have stopped responding. `heartbeats` is the result of a query at `queriedAt`. */
  findSilent(lease: ReplicaLease, heartbeats: readonly ReplicaHeartbeat[], queriedAt: number): ReplicaHeartbeat[];
  /** Returns the milliseconds until another replica may count as stopped, or null if there is no other replica. */
  nextSilenceIn(): number | null;
}

export function createSilenceDetector(): SilenceDetector {
  let lastLease: ReplicaLease | null = null;
  let lastHeartbeats = new Map<string, { readonly version: string; readonly since: number }>();

  return {
    findSilent(lease, heartbeats, queriedAt) {
      const before = lastLease === lease ? lastHeartbeats : new Map<string, never>();
      const now = performance.now();
      lastLease = lease;
      lastHeartbeats = new Map(heartbeats.map(({ id, version }) => {
        const previous = before.get(id);
        return [id, previous?.version === version ? previous : { version, since: now }];
      }));
      return heartbeats.filter(({ id }) => queriedAt - lastHeartbeats.get(id)!.since >= HEARTBEAT_SILENCE_LIMIT);
    },
    nextSilenceIn() {
      const now = performance.now();
      const left = [...lastHeartbeats.values()].map(({ since }) => since + HEARTBEAT_SILENCE_LIMIT - now).filter((ms) =>
        ms > 0
      );
      return left.length > 0 ? Math.min(...left) : null;
    },
  };
}
