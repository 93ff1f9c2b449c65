/** Tracks the time left for a run: the job's time limit and the timeout of each step. */
import type { JobKind } from "#lib/operations/plan.ts";
import type { Job } from "#lib/jobs/job.ts";
import { SECOND } from "#lib/base/time.ts";

const MAX_TIMER = 2 ** 31 - 1; // a longer timer would fire immediately

export interface StepClock {
  /** Starts the timeout of a step. Returns the milliseconds, limited by the job's time limit. */
  startStep(timeout: number): number;
  timeLeft(): number;
}

export function createStepClock({ persistent }: JobKind, { deadlineAt, updatedAt }: Job): StepClock {
  const startedAt = performance.now();
  let stepEndsAt = startedAt;

  /** Returns the milliseconds left of the job's time limit. The time left at the claim is by the database's clock. */
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
