/**
 * Decides when a replica claims jobs and takes over orphaned ones. Each heartbeat triggers a takeover round. A claim
 * round runs after a wake-up, when a delayed job becomes due, and every 5 s in case a wake-up was missed. Rounds never
 * overlap: a takeover must not see a job that was claimed but is not yet among the running ones.
 */
import { type Log, warnOncePerMinute } from "#lib/base/log.ts";
import type { ReplicaLease } from "#lib/scheduler/replica.ts";
import { SECOND } from "#lib/base/time.ts";

const POLL_INTERVAL = 5 * SECOND;

interface RoundsOptions {
  readonly log: Log;
  readonly currentLease: () => ReplicaLease | null;
  /** Claims due jobs. Returns the milliseconds until more jobs may be due, or null if unknown. */
  readonly claim: (currentLease: ReplicaLease) => Promise<number | null>;
  /** Takes over orphaned jobs. Calls `onNextSilence` with the milliseconds until another replica may be silent. */
  readonly takeOver: (currentLease: ReplicaLease, onNextSilence: (wait: number | null) => void) => Promise<void>;
}

export interface Rounds {
  /** Whether the rounds are open and the last one succeeded. */
  healthy(): boolean;
  /** Starts a claim round now, or after the current round. */
  requestClaim(): void;
  /** Starts a takeover round. Also claims jobs if the last round failed. */
  onHeartbeat(): void;
  /** Stops the rounds. Resolves when the current round has ended. */
  close(): Promise<void>;
}

export function openRounds({ log, currentLease, claim, takeOver }: RoundsOptions): Rounds {
  const warn = warnOncePerMinute(log);
  let open = true;
  let healthy = false;
  let requested = { claim: false, rescue: false }; // the requests for the next round
  let round: Promise<void> | null = null;
  let claimTimer: ReturnType<typeof setTimeout> | undefined;
  let takeoverTimer: ReturnType<typeof setTimeout> | undefined;

  function request(more: Partial<typeof requested>): void {
    requested = { ...requested, ...more };
    if (open && (requested.claim || requested.rescue)) round ??= runRounds().finally(onEnd);
  }

  /** Starts another round if one was requested in the meantime. */
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
        warn("Cannot poll the queue; trying again", { error });
      }
      if (wait === null) continue;
      clearTimeout(claimTimer);
      if (open) claimTimer = setTimeout(() => request({ claim: true }), wait);
    }
  }

  /** Schedules a takeover if a replica may become silent before the next heartbeat. */
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
