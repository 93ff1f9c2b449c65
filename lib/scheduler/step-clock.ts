/** The time that a run has: what is left of its job's limit, and within that each step's own. */
import type { JobKind } from "#lib/operations/plan.ts";
import type { Job } from "#lib/jobs/job.ts";
import { SECOND } from "#lib/base/time.ts";

const MAX_TIMER = 2 ** 31 - 1; // a longer one would fire at once

export interface StepClock {
  /** Begins the time of a step. Returns the milliseconds that it has. */
  startStep(timeout: number): number;
  /** Milliseconds that the step may still wait. */
  timeLeft(): number;
}

export function createStepClock({ persistent }: JobKind, { deadlineAt, updatedAt }: Job): StepClock {
  const startedAt = performance.now();
  let stepEndsAt = startedAt;

  /** What was left at the claim is told by the database's clock. */
  function jobTimeLeft(): number {
    if (persistent) return Infinity;
    const atClaim = deadlineAt!.getTime() - updatedAt.getTime();
    return Math.max(0, atClaim - (performance.now() - startedAt));
  }

  return {
    startStep(timeout) {
      const limit = Math.min(timeout, jobTimeLeft(), MAX_TIMER);
      stepEndsAt = performance.now() + limit;
      return limit;
    },
    timeLeft: () => timeLeftUntil(stepEndsAt),
  };
}

/** Less than what is left, so that what was waited for is told before the time is over. */
export function timeLeftUntil(endsAt: number): number {
  return Math.max(SECOND, (endsAt - performance.now()) * 0.9);
}
