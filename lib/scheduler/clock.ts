/** The time that a run has: what is left of its job's limit, and within that each step's own. */
import type { JobKind } from "#lib/operations/plan.ts";
import type { Job } from "#lib/jobs/job.ts";
import { SECOND } from "#lib/base/time.ts";

const LONGEST_TIMER = 2 ** 31 - 1; // a longer one would fire at once

export interface Clock {
  /** Begins the time of a step. Returns the milliseconds that it has. */
  begin(timeout: number): number;
  /** Milliseconds that the step may still wait. */
  patience(): number;
}

export function openClock({ persistent }: JobKind, { deadlineAt, updatedAt }: Job): Clock {
  const startedAt = performance.now();
  let stepEndsAt = startedAt;

  /** What was left at the claim is told by the database's clock. */
  function timeLeft(): number {
    if (persistent) return Infinity;
    const atClaim = deadlineAt!.getTime() - updatedAt.getTime();
    return Math.max(0, atClaim - (performance.now() - startedAt));
  }

  return {
    begin(timeout) {
      const limit = Math.min(timeout, timeLeft(), LONGEST_TIMER);
      stepEndsAt = performance.now() + limit;
      return limit;
    },
    patience: () => patienceUntil(stepEndsAt),
  };
}

/** Less than what is left, so that what was waited for is told before the time is over. */
export function patienceUntil(endsAt: number): number {
  return Math.max(SECOND, (endsAt - performance.now()) * 0.9);
}
