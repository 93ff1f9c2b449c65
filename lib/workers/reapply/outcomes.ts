/**
 * Updates the spoke's row when a reapply ends. If it succeeded, the row gets the new blueprint revision and resources,
 * and no drift. If a reapply after a failed upgrade fails too, the state stays `failed`.
 */
import { OPERATIONS, type SpokeOperationKind } from "#lib/operations/table.ts";
import { findInterruptedUpgrade } from "#lib/steps/interrupted-upgrade.ts";
import { readRecordedDigest } from "#lib/steps/image-digest.ts";
import { replaceSizeInputs } from "#lib/moodle/resize.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import type { Job, JobOf } from "#lib/jobs/job.ts";
import { listEndedOperationsBefore } from "#lib/jobs/store.ts";
import { createActionOutcomes } from "#lib/steps/outcomes.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";

export const reapplyOutcomes = createActionOutcomes(OPERATIONS.reapply, {
  succeeded(_, job, { blueprintInputs }) {
    const { taken: newSize, revision: blueprintRevision } = job.progress;
    const inputs = () =>
      newSize && { blueprintInputs: JSON.stringify(replaceSizeInputs(blueprintInputs as SpokeInputs, newSize)) };
    return { change: () => ({ drift: null, blueprintRevision, ...inputs(), ...readRecordedDigest(job) }) };
  },
  async stopped(tx, job) {
    const change = await readStateAfterStop(tx, job);
    return { change: () => change };
  },
});

/** Returns the spoke's state after a failed or cancelled reapply, which depends on the operations before it. */
async function readStateAfterStop(
  tx: Tx,
  job: JobOf<typeof OPERATIONS.reapply.kind>,
): Promise<Partial<Pick<SpokeRow, "state" | "health">>> {
  const { observed } = job.progress;
  if (await findInterruptedUpgrade(tx, job) !== null) return { state: "failed", health: "unknown" };
  if (await wasSuspended(tx, job)) return observed ? {} : { state: "suspended", health: "unknown" };
  return observed?.state === "suspended" ? { state: "active", health: "degraded" } : {}; // nobody suspended the site
}

async function wasSuspended(tx: Tx, job: Job): Promise<boolean> {
  const before = await listEndedOperationsBefore(
    tx,
    job,
    ["suspend", "resume", "reapply", "restore"] satisfies SpokeOperationKind[],
  );
  return before.find(({ state }) => state === "succeeded")?.kind === "suspend";
}
