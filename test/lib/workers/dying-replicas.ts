/** Starts replicas that die once after each step of some operations, as if they were killed there. */
import { wrapStepFunctions } from "#lib/scheduler/handler.ts";
import { openScheduler, type Scheduler } from "#lib/scheduler/scheduler.ts";
import { LeaseLapsedError } from "#lib/scheduler/stop-reasons.ts";
import { createHandlers } from "#lib/workers/handlers.ts";
import { UNREQUESTED, type WorkScene } from "./scene.ts";

/** Starts two replicas. `died` collects the steps after which one has died, as `configure seed`. */
export async function openDyingReplicas(
  { app }: WorkScene,
  kinds: readonly string[],
  died: string[],
): Promise<readonly Scheduler[]> {
  const own = createHandlers(app).filter(({ kind }) => !(UNREQUESTED as readonly string[]).includes(kind.kind));
  const dying = own.map((handler) =>
    !kinds.includes(handler.kind.kind) ? handler : wrapStepFunctions(handler, (work, step) => async (run) => {
      const name = `${handler.kind.kind} ${step}`;
      await work(run).catch((error) => {
        if (died.includes(name)) throw error; // waiting for an operation also ends a step with an error
      });
      if (died.includes(name)) return;
      died.push(name);
      throw new LeaseLapsedError();
    })
  );
  const options = { handlers: dying, lanes: 64, retry: { firstMs: 50, maxMs: 200 } };
  return [await openScheduler(app, options), await openScheduler(app, options)];
}

/** Returns the steps of an operation, as `died` lists them. */
export function listSteps(
  { name, plan }: { readonly name: string; readonly plan: { readonly steps: object } },
): string[] {
  return Object.keys(plan.steps).map((step) => `${name} ${step}`).sort();
}
