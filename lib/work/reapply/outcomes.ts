/**
 * What the ends of a reapply make of the spoke's row: of the present revision, with its size's amounts of today, and
 * without drift, once the cluster has shown it. One that fails leaves a spoke failed whose upgrade had left it so: nothing
 * has brought it back.
 */
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import type { Job } from "#lib/records/jobs/job.ts";
import type { Hooks } from "#lib/scheduler/handler.ts";
import type { SpokeOperationKind } from "#lib/operations/table.ts";
import { endedBefore } from "#lib/records/jobs/store.ts";
import { lockSpoke } from "#lib/domains/spokes/store.ts";
import { findHalfWay } from "#lib/work/upgrade/half-way.ts";
import { takenBy, withSize } from "#lib/work/reapply/size.ts";
import { actionOutcomes, type Observed } from "#lib/work/outcomes.ts";

export const reapplyOutcomes: Hooks = {
  ...actionOutcomes,
  async onSucceeded(tx, job) {
    const { id, state, blueprintInputs } = await lockSpoke(tx, job.spokeId!), taken = takenBy(job);
    if (state !== "removing" && state !== "removed") {
      const inputs = taken && JSON.stringify(withSize(blueprintInputs as SpokeInputs, taken));
      await tx.updateTable("spokes").set({
        drift: null,
        blueprintRevision: String(job.progress.revision),
        ...(inputs && { blueprintInputs: inputs }),
      }).where("id", "=", id).execute();
    }
    return await actionOutcomes.onSucceeded!(tx, job);
  },
  async onFailed(tx, job, report) {
    return await actionOutcomes.onFailed!(tx, await asItStands(tx, job), report);
  },
  async onCancelled(tx, job) {
    return await actionOutcomes.onCancelled!(tx, await asItStands(tx, job));
  },
};

async function asItStands(tx: Tx, job: Job): Promise<Job> {
  const seen = job.progress.observed as Observed | undefined;
  const observed = await findHalfWay(tx, job) !== null
    ? { state: "failed", health: "unknown" }
    : await wasSuspended(tx, job)
    ? seen ?? { state: "suspended", health: "unknown" }
    : seen?.state === "suspended"
    ? { state: "active", health: "degraded" } // nobody asked for that
    : seen;
  return { ...job, progress: { ...job.progress, observed } };
}

async function wasSuspended(tx: Tx, job: Job): Promise<boolean> {
  const before = await endedBefore(tx, job, ["suspend", "resume", "reapply"] satisfies SpokeOperationKind[]);
  return before.find(({ state }) => state === "succeeded")?.kind === "suspend";
}
