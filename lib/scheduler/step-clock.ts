/** Tracks the time left for a run: its job's limit, and within it each step's timeout. */
import type { JobKind } from "#lib/operations/plan.ts";
import type { Job } from "#lib/jobs/job.ts";
import { SECOND } from "#lib/base/time.ts";

const MAX_TIMER = 2 ** 31 - 1; // a longer one would fire immediately

export interface StepClock {
  /** Starts the timeout of a step. Returns its milliseconds. */
  startStep(timeout: number): number;
  /** Milliseconds that the step may still wait. */
  timeLeft(): number;
}

export function createStepClock({ persistent }: JobKind, { deadlineAt, updatedAt }: Job): StepClock {
  const startedAt = performance.now();
  let stepEndsAt = startedAt;

  /** Uses the database's clock for the time that was left at the claim. */
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

/** Returns 90% of the time left, so that a wait can report its result before the timeout. */
export function timeLeftUntil(endsAt: number): number {
  return Math.max(SECOND, (endsAt - performance.now()) * 0.9);
}
