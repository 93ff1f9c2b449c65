/**
 * Which other replicas are silent, by this one's own clock.
 *
 * No time of the database is compared with another: if its clock is set back while a holder dies, the holder's last beat
 * stays fresh by that clock for as long. A replica is silent once this one has read the same beat of it for 4 s, by a
 * clock that nobody sets. A break in this replica's own beating starts the count anew: it may have kept all others from
 * beating, too.
 */
import type { Beat } from "#lib/jobs/claim.ts";
import type { Tenure } from "#lib/scheduler/replica.ts";
import { SECOND } from "#lib/base/time.ts";

/** Milliseconds without a beat after which a replica's jobs are taken. */
export const SILENCE = 4 * SECOND;

export interface Listener {
  /** Takes the beats that a query brought which was sent at `askedAt`. Returns those of silent replicas. */
  hear(tenure: Tenure, beats: readonly Beat[], askedAt: number): Beat[];
  /** Milliseconds until another replica may be silent; null when nobody is listened to. */
  patience(): number | null;
}

export function openListener(): Listener {
  let during: Tenure | null = null;
  let heard = new Map<string, { readonly beat: string; readonly since: number }>();

  return {
    hear(tenure, beats, askedAt) {
      const before = during === tenure ? heard : new Map<string, never>();
      const now = performance.now();
      during = tenure;
      heard = new Map(beats.map(({ id, beat }) => {
        const known = before.get(id);
        return [id, known?.beat === beat ? known : { beat, since: now }];
      }));
      return beats.filter(({ id }) => askedAt - heard.get(id)!.since >= SILENCE);
    },
    patience() {
      const now = performance.now();
      const left = [...heard.values()].map(({ since }) => since + SILENCE - now).filter((ms) => ms > 0);
      return left.length > 0 ? Math.min(...left) : null;
    },
  };
}
