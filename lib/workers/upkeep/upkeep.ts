/** Defines tasks of the service, whose jobs are hidden from users. */
import { HOUR } from "#lib/base/time.ts";
import type { Handler, Run } from "#lib/scheduler/handler.ts";

interface UpkeepOptions {
  readonly kind: string;
  /** Increased with each change of the steps or their names; 1 by default. */
  readonly plan?: number;
  /** Milliseconds until a transient error becomes final; an hour by default. */
  readonly limit?: number;
  /** Milliseconds between the end of a run and the start of the next. Absent if something else queues the task. */
  readonly every?: number;
}

/** The steps in order: label, timeout in milliseconds, and work. */
type UpkeepSteps = Readonly<
  Record<string, readonly [label: string, timeout: number, work: (run: Run) => Promise<void>]>
>;

export function upkeepHandler({ kind, plan = 1, limit = HOUR, every }: UpkeepOptions, steps: UpkeepSteps): Handler {
  const all = Object.entries(steps).map(([name, [label, timeout, work]]) => ({ name, label, timeout, work }));
  return {
    kind: {
      ...{ kind, plan, visible: false, timeLimit: limit, ...(every !== undefined && { repeatEvery: every }) },
      steps: all.map(({ work: _, ...step }) => step),
    },
    steps: Object.fromEntries(all.map(({ name, work }) => [name, work])),
  };
}

/** Runs small transactions until one of them has changed nothing. */
export async function runInBatches(run: Run, work: () => Promise<number>): Promise<void> {
  do run.throwIfStopped(); while (await work() > 0);
}
