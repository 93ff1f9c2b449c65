/** Declares the job that carries out a rollout. */
import * as v from "valibot";
import { createJob, type NewJob } from "#lib/jobs/job.ts";
import { declareJobKind } from "#lib/operations/plan.ts";
import { HOUR, MINUTE } from "#lib/base/time.ts";

export const ROLLOUT_JOB_KIND = declareJobKind({
  kind: "run-rollout",
  steps: { advance: ["Starting operations on the rollout's spokes", 10 * MINUTE] },
  timeLimit: HOUR,
  persistent: true,
  payload: v.object({ rolloutId: v.string() }),
});

/** Creates the rollout's job. A rollout has at most one. */
export function createRolloutJob(rolloutId: string): NewJob {
  return createJob(ROLLOUT_JOB_KIND, { rolloutId }, { dedupeKey: `rollout:${rolloutId}` });
}
