/**
 * What the ends of a configure make of the spoke's row: its inputs, which say what is in force, become what the site was
 * seen to have taken. Of one that failed later, that is its words and its look.
 */
import type { Configured } from "#lib/blueprint/configure.ts";
import type { Tx } from "#lib/db/database.ts";
import type { Job } from "#lib/jobs/job.ts";
import type { Hooks } from "#lib/scheduler/handler.ts";
import { lockSpoke, setInForce } from "#lib/spokes/store.ts";
import { actionOutcomes } from "#lib/work/outcomes.ts";

export const configureOutcomes: Hooks = {
  ...actionOutcomes,
  async onSucceeded(tx, job) {
    await keep(tx, job);
    return await actionOutcomes.onSucceeded!(tx, job);
  },
  async onFailed(tx, job, report) {
    await keep(tx, job);
    return await actionOutcomes.onFailed!(tx, job, report);
  },
};

async function keep(tx: Tx, job: Job): Promise<void> {
  const { id, state, blueprint_inputs } = await lockSpoke(tx, job.spokeId!);
  if (state === "removing" || state === "removed" || !job.stepsDone.includes("seed")) return;
  await setInForce(tx, id, { ...blueprint_inputs, ...job.progress.after as Configured });
}
