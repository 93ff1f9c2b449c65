/**
 * Decides when a replica claims new jobs, and when it takes over jobs from replicas that have stopped responding. Each
 * heartbeat triggers a takeover round. A claim round runs when jobs are added or become due, and at least every 5 s.
 * Rounds never overlap, because a takeover must not see a job that was just claimed but is not yet running.
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
  /** Takes over orphaned jobs. Calls `onNextSilence` with the time in ms until another replica may count as stopped. */
  readonly takeOver: (currentLease: ReplicaLease, onNextSilence: (wait: number | null) => void) => Promise<void>;
}

export interface ClaimRounds {
  /** Whether the last round of claims succeeded and `close` has not been called. */
  healthy(): boolean;
  /** Starts a claim round now, or as soon as the current round has ended. */
  requestClaim(): void;
  /** Starts a takeover round, and also a claim round if the last round failed. */
  onHeartbeat(): void;
  /** Prevents further rounds. Resolves once the current round has ended. */
  close(): Promise<void>;
}

export function openClaimRounds({ log, currentLease, claim, takeOver }: RoundsOptions): ClaimRounds {
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

  /** Starts another round if a request arrived during the last round. */
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
        warn("Cannot poll the job queue; trying again", { error });
      }
      if (wait === null) continue;
      clearTimeout(claimTimer);
      if (open) claimTimer = setTimeout(() => request({ claim: true }), wait);
    }
  }

  /** Schedules a takeover round if another replica may count as stopped before the next heartbeat. */
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
