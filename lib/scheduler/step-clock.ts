/** Tracks how much time a run has left, from the job's time limit and each step's timeout. */
import type { JobKind } from "#lib/operations/plan.ts";
import type { Job } from "#lib/jobs/job.ts";
import { SECOND } from "#lib/base/time.ts";

const MAX_TIMER = 2 ** 31 - 1; // a longer timer would fire immediately

export interface StepClock {
  /** Starts a step. Returns its timeout in milliseconds, which is never longer than the job's remaining time. */
  startStep(timeout: number): number;
  timeLeft(): number;
}

export function createStepClock({ persistent }: JobKind, { deadlineAt, updatedAt }: Job): StepClock {
  const startedAt = performance.now();
  let stepEndsAt = startedAt;

  /** Returns how much of the job's time limit is left, in milliseconds. */
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
    timeLeft: () => computeTimeLeft(stepEndsAt),
  };
}

/** Returns 90% of the remaining time, so that a step can report a result before its timeout. */
export function computeTimeLeft(endsAt: number): number {
  return Math.max(SECOND, (endsAt - performance.now()) * 0.9);
}
