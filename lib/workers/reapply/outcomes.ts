/**
 * What the ends of a reapply make of the spoke's row: of the present revision, with its size's amounts of today, and
 * without drift, once the cluster has shown it. One that fails leaves a spoke failed whose upgrade had left it so: nothing
 * has brought it back.
 */
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import type { Job } from "#lib/jobs/job.ts";
import type { SpokeOperationKind } from "#lib/operations/table.ts";
import { listEndedBefore } from "#lib/jobs/store.ts";
import { findHalfWay } from "#lib/workers/upgrade/half-way.ts";
import { takenBy, withSize } from "#lib/workers/reapply/size.ts";
import { digestOf } from "#lib/workers/image-digest.ts";
import { actionOutcomes, type Observed } from "#lib/workers/outcomes.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";

export const reapplyOutcomes = actionOutcomes({
  succeeded(_, job, { blueprintInputs }) {
    const taken = takenBy(job), blueprintRevision = String(job.progress.revision);
    const inputs = () => taken && { blueprintInputs: JSON.stringify(withSize(blueprintInputs as SpokeInputs, taken)) };
    return { change: () => ({ drift: null, blueprintRevision, ...inputs(), ...digestOf(job) }) };
  },
  async stopped(tx, job) {
    const change = await asItStands(tx, job);
    return { change: () => change };
  },
});

/** As it was seen, unless that is not all. */
async function asItStands(tx: Tx, job: Job): Promise<Partial<Pick<SpokeRow, "state" | "health">>> {
  const seen = job.progress.observed as Observed | undefined;
  if (await findHalfWay(tx, job) !== null) return { state: "failed", health: "unknown" };
  if (await wasSuspended(tx, job)) return seen ? {} : { state: "suspended", health: "unknown" };
  return seen?.state === "suspended" ? { state: "active", health: "degraded" } : {}; // nobody asked for that
}

async function wasSuspended(tx: Tx, job: Job): Promise<boolean> {
  const before = await listEndedBefore(
    tx,
    job,
    ["suspend", "resume", "reapply", "restore"] satisfies SpokeOperationKind[],
  );
  return before.find(({ state }) => state === "succeeded")?.kind === "suspend";
}
