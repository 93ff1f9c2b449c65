/**
 * Decides when a replica polls for jobs.
 *
 * Each heartbeat triggers a takeover of orphaned jobs. Due jobs are claimed after a wake-up, when a delayed job becomes
 * due, and every 5 s in case a wake-up was missed. Rounds never overlap: a job must not be claimed and missed among the
 * running ones at the same time.
 */
import { type Log, warnOncePerMinute } from "#lib/base/log.ts";
import type { ReplicaLease } from "#lib/scheduler/replica.ts";
import { SECOND } from "#lib/base/time.ts";

const POLL_INTERVAL = 5 * SECOND;

interface RoundsOptions {
  readonly log: Log;
  readonly currentLease: () => ReplicaLease | null;
  /** Returns the milliseconds until more jobs may be claimable, if known. */
  readonly claim: (currentLease: ReplicaLease) => Promise<number | null>;
  /** Calls `onNextSilence` with the milliseconds until another replica may count as silent. */
  readonly takeOver: (currentLease: ReplicaLease, onNextSilence: (wait: number | null) => void) => Promise<void>;
}

export interface Rounds {
  /** Whether rounds run and the last one succeeded. */
  healthy(): boolean;
  /** Claims jobs now, or after the running round. */
  requestClaim(): void;
  /** Takes over orphaned jobs. Also claims jobs if the last round failed. */
  onHeartbeat(): void;
  /** Starts no further round. Resolves when the running one ends. */
  close(): Promise<void>;
}

export function openRounds({ log, currentLease, claim, takeOver }: RoundsOptions): Rounds {
  const warn = warnOncePerMinute(log);
  let open = true;
  let healthy = false;
  let requested = { claim: false, rescue: false }; // for the next round
  let round: Promise<void> | null = null;
  let claimTimer: ReturnType<typeof setTimeout> | undefined;
  let takeoverTimer: ReturnType<typeof setTimeout> | undefined;

  function request(more: Partial<typeof requested>): void {
    requested = { ...requested, ...more };
    if (open && (requested.claim || requested.rescue)) round ??= runRounds().finally(onEnd);
  }

  /** Starts another round if one was requested after the last check. */
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

  /** Schedules a takeover for a replica that becomes silent between two heartbeats of this one. */
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
