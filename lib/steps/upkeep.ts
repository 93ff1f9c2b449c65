/** Creates handlers for Wheelwright's own maintenance tasks. Their jobs are hidden from users. */
import { HOUR } from "#lib/base/time.ts";
import { declareJobKind } from "#lib/operations/plan.ts";
import type { JobHandler, JobRun } from "#lib/scheduler/handler.ts";

interface UpkeepOptions {
  readonly kind: string;
  /** The version of the list of steps, which must increase whenever the steps change. The default is 1. */
  readonly plan?: number;
  /** How long the job is retried after transient errors, in milliseconds. The default is an hour. */
  readonly limit?: number;
  /** Milliseconds from the end of a run to the start of the next run. Undefined if other code queues the task. */
  readonly every?: number;
}

/** The steps in order, each with a label, a timeout in milliseconds, and a function. */
type UpkeepSteps = Readonly<
  Record<string, readonly [label: string, timeout: number, work: (run: JobRun) => Promise<void>]>
>;

export function upkeepHandler({ kind, plan = 1, limit = HOUR, every }: UpkeepOptions, steps: UpkeepSteps): JobHandler {
  const all = Object.entries(steps);
  return {
    kind: declareJobKind({
      ...{ kind, plan, timeLimit: limit, ...(every !== undefined && { repeatEvery: every }) },
      steps: Object.fromEntries(all.map(([name, [label, timeout]]) => [name, [label, timeout]])),
    }),
    steps: Object.fromEntries(all.map(([name, [, , work]]) => [name, work])),
  };
}

/** Repeats `work` until it returns 0. `work` runs a small transaction and returns the number of changes it made. */
export async function runUntilNoChanges(run: JobRun, work: () => Promise<number>): Promise<void> {
  do run.throwIfStopped(); while (await work() > 0);
}
