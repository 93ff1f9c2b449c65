/**
 * What the ends of a resize make of the spoke's row: the new size once it was seen in the cluster; and where it failed on
 * the way, the disks as they have become, since whatever asked for smaller ones from then on would be refused.
 */
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import { type Disks, withDisks } from "#lib/moodle/resize.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import type { Job } from "#lib/records/jobs/job.ts";
import type { Hooks, Outcome } from "#lib/scheduler/handler.ts";
import { lockSpoke, type SpokeRow } from "#lib/domains/spokes/store.ts";
import { actionOutcomes } from "#lib/work/outcomes.ts";

/** What of a spoke's inputs is its size. */
export type Resized = Pick<SpokeInputs, "size" | "resources" | "madeDatabaseDisk">;

export const resizeOutcomes: Hooks = {
  ...actionOutcomes,
  async onSucceeded(tx, job) {
    const after = job.progress.after as Resized;
    const before = await rewrite(tx, job, ({ madeDatabaseDisk: _, ...inputs }) => seen(job, { ...inputs, ...after }));
    return withSizes(await actionOutcomes.onSucceeded!(tx, job), before.size, after.size);
  },
  async onFailed(tx, job, report) {
    const outcome = await actionOutcomes.onFailed!(tx, job, report);
    const row = await keepDisks(tx, job);
    const wanted = String(job.payload.size);
    if (job.stepsDone.includes("prepare") && isStaying(row)) {
      const message =
        `${report.message}; some of it may have the size ${wanted} by now: resize it again, or reapply the ` +
        `blueprint to have all of it ${row.size} (disks stay as large as they have become)`;
      await tx.updateTable("spokes").set({ stateReason: message }).where("id", "=", row.id).execute();
    }
    return withSizes(outcome, row.size, wanted);
  },
  async onCancelled(tx, job) {
    const outcome = await actionOutcomes.onCancelled!(tx, job);
    await keepDisks(tx, job);
    return outcome;
  },
};

async function keepDisks(tx: Tx, job: Job): Promise<SpokeRow> {
  return await rewrite(tx, job, (inputs) => seen(job, inputs));
}

/** With the disks that the cluster said it has now: somebody else may have made them larger still. */
function seen(job: Job, inputs: SpokeInputs): SpokeInputs {
  const disks = job.progress.disks as Partial<Disks> | undefined;
  return disks ? withDisks(inputs, { ...inputs.resources.disks, ...disks }) : inputs;
}

/** The row as it was before. What a later release has among the inputs stays there; what is going is left alone. */
async function rewrite(tx: Tx, job: Job, make: (inputs: SpokeInputs) => SpokeInputs): Promise<SpokeRow> {
  const row = await lockSpoke(tx, job.spokeId!);
  if (!isStaying(row)) return row;
  const inputs = make(row.blueprintInputs as SpokeInputs);
  await tx.updateTable("spokes").set({ size: inputs.size, blueprintInputs: JSON.stringify(inputs) })
    .where("id", "=", row.id).execute();
  return row;
}

function isStaying({ state }: SpokeRow): boolean {
  return state !== "removing" && state !== "removed";
}

function withSizes(outcome: Outcome, from: string, to: string): Outcome {
  const audit = (outcome.audit ?? []).map((entry) => ({ ...entry, metadata: { ...entry.metadata, from, to } }));
  return { ...outcome, audit };
}
