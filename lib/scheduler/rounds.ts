/**
 * When a replica looks for jobs: with each beat for those that nobody runs; for those that are due when it is woken, when
 * a job's time has come, and slowly in case a wake-up was missed. One round follows another: a job must not be claimed
 * and missed among the running ones at the same time.
 */
import { type Log, warnOncePerMinute } from "#lib/base/log.ts";
import type { ReplicaLease } from "#lib/scheduler/replica.ts";
import { SECOND } from "#lib/base/time.ts";

const POLL_INTERVAL = 5 * SECOND;

interface RoundsOptions {
  readonly log: Log;
  readonly currentLease: () => ReplicaLease | null;
  /** Returns the milliseconds until there may be more to claim, if that is known. */
  readonly claim: (currentLease: ReplicaLease) => Promise<number | null>;
  /** Tells `onHeard` the milliseconds until there may be more to take over. */
  readonly takeOver: (currentLease: ReplicaLease, onNextSilence: (wait: number | null) => void) => Promise<void>;
}

export interface Rounds {
  /** Whether there are rounds, and the last one was answered. */
  healthy(): boolean;
  /** Claims, now or as soon as the round under way is over. */
  requestClaim(): void;
  /** Takes over, and claims as well after a round that was not answered. */
  onHeartbeat(): void;
  /** Begins no other round, and resolves at the end of the one under way. */
  close(): Promise<void>;
}

export function openRounds({ log, currentLease, claim, takeOver }: RoundsOptions): Rounds {
  const warn = warnOncePerMinute(log);
  let open = true;
  let healthy = false;
  let requested = { claim: false, rescue: false }; // of the next round
  let round: Promise<void> | null = null;
  let claimTimer: ReturnType<typeof setTimeout> | undefined;
  let takeoverTimer: ReturnType<typeof setTimeout> | undefined;

  function request(more: Partial<typeof requested>): void {
    requested = { ...requested, ...more };
    if (open && (requested.claim || requested.rescue)) round ??= runRounds().finally(onEnd);
  }

  /** What was asked for after the round had looked at that for the last time begins another one. */
  function onEnd(): void {
    round = null;
    request({});
  }

  async function runRounds(): Promise<void> {
    while (open && (requested.claim || requested.rescue)) {
      const lease = currentLease(), todo = requested;
      requested = { claim: false, rescue: false };
      let wait: number | null = null;
      try {
        if (lease && todo.rescue) await takeOver(lease, scheduleTakeover);
        if (lease && todo.claim) wait = Math.min(POLL_INTERVAL, await claim(lease) ?? POLL_INTERVAL);
        healthy = lease !== null;
      } catch (error) {
        healthy = false;
        wait = SECOND;
        warn("Cannot look for work; trying again", { error });
      }
      if (wait === null) continue;
      clearTimeout(claimTimer);
      if (open) claimTimer = setTimeout(() => request({ claim: true }), wait);
    }
  }

  /** A silence that is over its time between two beats of ours is not left until the next. */
  function scheduleTakeover(wait: number | null): void {
    clearTimeout(takeoverTimer);
    if (open && wait !== null && wait < SECOND) {
      takeoverTimer = setTimeout(() => request({ rescue: true }), Math.ceil(wait));
    }
  }

  return {
    healthy: () => open && healthy,
    requestClaim: () => request({ claim: true }),
    onHeartbeat: () => request(healthy ? { rescue: true } : { rescue: true, claim: true }),
    async close() {
      open = false;
      clearTimeout(claimTimer);
      clearTimeout(takeoverTimer);
      await round;
    },
  };
}
