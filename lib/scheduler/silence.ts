/**
 * Which other replicas are silent, by this one's own clock.
 *
 * No time of the database is compared with another: if its clock is set back while a holder dies, the holder's last beat
 * stays fresh by that clock for as long. A replica is silent once this one has read the same beat of it for 4 s, by a
 * clock that nobody sets. A break in this replica's own beating starts the count anew: it may have kept all others from
 * beating, too.
 */
import type { Heartbeat } from "#lib/jobs/claim.ts";
import type { ReplicaLease } from "#lib/scheduler/replica.ts";
import { SECOND } from "#lib/base/time.ts";

/** Milliseconds without a beat after which a replica's jobs are taken. */
export const SILENCE_LIMIT = 4 * SECOND;

export interface SilenceDetector {
  /** Takes the beats that a query brought which was sent at `askedAt`. Returns those of silent replicas. */
  findSilent(lease: ReplicaLease, heartbeats: readonly Heartbeat[], queriedAt: number): Heartbeat[];
  /** Milliseconds until another replica may be silent; null when nobody is listened to. */
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
