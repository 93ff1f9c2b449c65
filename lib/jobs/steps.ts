/**
 * Lists the steps of an operation with their times. A step begins when the previous one ends. The first step begins
 * with the operation. Waiting for a retry belongs to the retried step.
 */
import * as v from "valibot";
import { NullableTimestamp } from "#lib/base/schema.ts";
import { findPlan, OPERATIONS } from "#lib/operations/table.ts";
import type { Job } from "#lib/jobs/job.ts";

export const StepView = v.object({
  name: v.string(),
  label: v.string(),
  /** Null until the step begins. */
  startedAt: NullableTimestamp,
  /** Null until the step ends. */
  finishedAt: NullableTimestamp,
});
export type StepView = v.InferInput<typeof StepView>;

/** Returns the steps in the order of the plan. A step that no plan of this release contains has its name as label. */
export function describeSteps(job: Job): StepView[] {
  const plan = (findPlan(job) ?? Object.values(OPERATIONS).find(({ name }) => name === job.kind)?.kind)?.steps ?? [];
  let startedAt = job.startedAt;
  return job.stepNames.map((name) => {
    const label = plan.find((step) => step.name === name)?.label ?? name;
    const step = { name, label, startedAt, finishedAt: stepEndOf(job, name) };
    startedAt = name in job.stepTimes ? step.finishedAt : null; // no step begins after a failed one
    return step;
  });
}

function stepEndOf({ state, stepNames, finishedSteps, stepTimes, finishedAt }: Job, step: string): Date | null {
  if (state === "succeeded" && step === stepNames.at(-1)) return finishedAt;
  const hasStopped = state === "failed" || state === "cancelled";
  if (hasStopped && step === stepNames.find((name) => !finishedSteps.includes(name))) return finishedAt;
  const end = stepTimes[step];
  return end === undefined ? null : new Date(end);
}
