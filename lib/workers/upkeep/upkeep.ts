/** Work that nobody asks for: the kind of its job is declared with it, and no person sees the job. */
import { HOUR } from "#lib/base/time.ts";
import type { Handler, Run } from "#lib/scheduler/handler.ts";

interface Upkeep {
  readonly kind: string;
  /** Raised with each change of the steps or of their names; 1 unless said otherwise. */
  readonly plan?: number;
  /** Milliseconds from the first start until a transient error becomes final; an hour unless said otherwise. */
  readonly limit?: number;
  /** Milliseconds from its end to the next; absent where somebody queues it. */
  readonly every?: number;
}

/** In their order: what is read while it runs, how many milliseconds it may take, and what it does. */
type Steps = Readonly<Record<string, readonly [label: string, timeout: number, work: (run: Run) => Promise<void>]>>;

export function upkeep({ kind, plan = 1, limit = HOUR, every }: Upkeep, steps: Steps): Handler {
  const all = Object.entries(steps).map(([name, [label, timeout, work]]) => ({ name, label, timeout, work }));
  return {
    kind: {
      ...{ kind, plan, visible: false, timeLimit: limit, ...(every !== undefined && { repeatEvery: every }) },
      steps: all.map(({ work: _, ...step }) => step),
    },
    steps: Object.fromEntries(all.map(({ name, work }) => [name, work])),
  };
}

/** Small transactions, until one has found nothing to do. */
export async function inBatches(run: Run, work: () => Promise<number>): Promise<void> {
  do run.throwIfStopped(); while (await work() > 0);
}
