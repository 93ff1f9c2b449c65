/**
 * The steps of an operation with their times. A step begins when the one before it ends, and the first one with the
 * operation; waiting for another try belongs to the step that is tried again.
 */
import * as v from "valibot";
import { NullableTimestamp } from "#lib/base/schema.ts";
import { findPlan, OPERATIONS } from "#lib/operations/table.ts";
import type { Job } from "#lib/jobs/job.ts";

export const StepView = v.object({
  name: v.string(),
  label: v.string(),
  /** Null until it begins, and where an older release, which kept no times, did the step before it. */
  startedAt: NullableTimestamp,
  /** Null until it ends, well or not, and where an older release did it. */
  finishedAt: NullableTimestamp,
});
export type StepView = v.InferInput<typeof StepView>;

/** In the order of the plan. A step that no plan of this release has is called by its name. */
export function describeSteps(job: Job): StepView[] {
  const plan = (findPlan(job) ?? Object.values(OPERATIONS).find(({ name }) => name === job.kind)?.kind)?.steps ?? [];
  let startedAt = job.startedAt;
  return job.stepNames.map((name) => {
    const label = plan.find((step) => step.name === name)?.label ?? name;
    const step = { name, label, startedAt, finishedAt: stepEndOf(job, name) };
    startedAt = name in job.stepEnds ? step.finishedAt : null; // after a step that failed, none begins
    return step;
  });
}

function stepEndOf({ state, stepNames, stepsDone, stepEnds, finishedAt }: Job, step: string): Date | null {
  if (state === "succeeded" && step === stepNames.at(-1)) return finishedAt;
  const hasStopped = state === "failed" || state === "cancelled";
  if (hasStopped && step === stepNames.find((name) => !stepsDone.includes(name))) return finishedAt;
  const end = stepEnds[step];
  return end === undefined ? null : new Date(end);
}
