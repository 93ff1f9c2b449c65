/**
 * When a replica looks for jobs: with each beat for those that nobody runs; for those that are due when it is woken, when
 * a job's time has come, and slowly in case a wake-up was missed. One round follows another: a job must not be claimed
 * and missed among the running ones at the same time.
 */
import { type Log, warnOncePerMinute } from "#lib/base/log.ts";
import type { Tenure } from "#lib/scheduler/replica.ts";
import { SECOND } from "#lib/base/time.ts";

const POLL = 5 * SECOND;

interface RoundsOptions {
  readonly log: Log;
  readonly tenure: () => Tenure | null;
  /** Returns the milliseconds until there may be more to claim, if that is known. */
  readonly claim: (tenure: Tenure) => Promise<number | null>;
  /** Tells `onHeard` the milliseconds until there may be more to take over. */
  readonly rescue: (tenure: Tenure, onHeard: (wait: number | null) => void) => Promise<void>;
}

export interface Rounds {
  /** Whether there are rounds, and the last one was answered. */
  healthy(): boolean;
  /** Claims, now or as soon as the round under way is over. */
  claim(): void;
  /** Takes over, and claims as well after a round that was not answered. */
  onBeat(): void;
  /** Begins no other round, and resolves at the end of the one under way. */
  close(): Promise<void>;
}

export function openRounds({ log, tenure, claim, rescue }: RoundsOptions): Rounds {
  const complain = warnOncePerMinute(log);
  let open = true;
  let healthy = false;
  let asked = { claim: false, rescue: false }; // of the next round
  let round: Promise<void> | null = null;
  let claimTimer: ReturnType<typeof setTimeout> | undefined;
  let rescueTimer: ReturnType<typeof setTimeout> | undefined;

  function ask(more: Partial<typeof asked>): void {
    asked = { ...asked, ...more };
    if (open && (asked.claim || asked.rescue)) round ??= goRound().finally(onEnd);
  }

  /** What was asked for after the round had looked at that for the last time begins another one. */
  function onEnd(): void {
    round = null;
    ask({});
  }

  async function goRound(): Promise<void> {
    while (open && (asked.claim || asked.rescue)) {
      const present = tenure(), todo = asked;
      asked = { claim: false, rescue: false };
      let wait: number | null = null;
      try {
        if (present && todo.rescue) await rescue(present, rescueAfter);
        if (present && todo.claim) wait = Math.min(POLL, await claim(present) ?? POLL);
        healthy = present !== null;
      } catch (error) {
        healthy = false;
        wait = SECOND;
        complain("Cannot look for work; trying again", { error });
      }
      if (wait === null) continue;
      clearTimeout(claimTimer);
      if (open) claimTimer = setTimeout(() => ask({ claim: true }), wait);
    }
  }

  /** A silence that is over its time between two beats of ours is not left until the next. */
  function rescueAfter(wait: number | null): void {
    clearTimeout(rescueTimer);
    if (open && wait !== null && wait < SECOND) rescueTimer = setTimeout(() => ask({ rescue: true }), Math.ceil(wait));
  }

  return {
    healthy: () => open && healthy,
    claim: () => ask({ claim: true }),
    onBeat: () => ask(healthy ? { rescue: true } : { rescue: true, claim: true }),
    async close() {
      open = false;
      clearTimeout(claimTimer);
      clearTimeout(rescueTimer);
      await round;
    },
  };
}
