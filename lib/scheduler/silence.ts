/**
 * Detects silent replicas by this replica's own clock. A replica is silent if its heartbeat has not changed for 4 s on
 * this replica's monotonic clock. Database times are not compared: if the database's clock is set back while a replica
 * dies, the last heartbeat looks recent. When this replica's own lease ends, the time is counted from zero. The same
 * cause may have kept other replicas from sending heartbeats.
 */
import type { Heartbeat } from "#lib/jobs/claim.ts";
import type { ReplicaLease } from "#lib/scheduler/replica.ts";
import { SECOND } from "#lib/base/time.ts";

/** Milliseconds without a heartbeat after which a replica's jobs are taken over. */
export const SILENCE_LIMIT = 4 * SECOND;

export interface SilenceDetector {
  /** Returns the heartbeats of silent replicas. `heartbeats` is the result of a query that was sent at `queriedAt`. */
  findSilent(lease: ReplicaLease, heartbeats: readonly Heartbeat[], queriedAt: number): Heartbeat[];
  /** Returns the milliseconds until another replica may be silent, or null if no other replica exists. */
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
      return heartbeats.filter(({ id }) => queriedAt - lastHeartbeats.get(id)!.since >= SILENCE_LIMIT);
    },
    nextSilenceIn() {
      const now = performance.now();
      const left = [...lastHeartbeats.values()].map(({ since }) => since + SILENCE_LIMIT - now).filter((ms) => ms > 0);
      return left.length > 0 ? Math.min(...left) : null;
    },
  };
}
