/**
 * Lists the steps of an operation with their start and end times. A step starts when the previous step ends, and
 * the first step starts with the operation. The wait before a retry counts as part of the retried step.
 */
import * as v from "valibot";
import { NullableTimestamp } from "#lib/base/schema.ts";
import { findJobPlan, OPERATIONS } from "#lib/operations/table.ts";
import type { Job } from "#lib/jobs/job.ts";

export const StepView = v.object({
  name: v.string(),
  label: v.string(),
  /** When the step started; null until then. */
  startedAt: NullableTimestamp,
  /** When the step ended; null until then. */
  finishedAt: NullableTimestamp,
});
export type StepView = v.InferInput<typeof StepView>;

/** Returns the steps in the order in which they run. If this release does not know a step, the label is its name. */
export function describeSteps(job: Job): StepView[] {
  const plan = (findJobPlan(job) ?? Object.values(OPERATIONS).find(({ name }) => name === job.kind)?.kind)?.steps ?? [];
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
