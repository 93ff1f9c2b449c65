/**
 * Updates the spoke's row when a resize ends. After a success, the row has the new size. After a failure, it has the
 * old size, but the actual sizes of the disks, because Kubernetes cannot shrink them.
 */
import { SpokeInputs } from "#lib/moodle/inputs.ts";
import { setDiskSizes } from "#lib/moodle/resize.ts";
import { OPERATIONS } from "#lib/operations/table.ts";
import type { JobOf } from "#lib/jobs/job.ts";
import { createActionOutcomes } from "#lib/steps/outcomes.ts";

export const resizeOutcomes = createActionOutcomes(OPERATIONS.resize, {
  succeeded(_, job, before) {
    const after = job.progress.after!;
    const { madeDatabaseDisk: _made, ...inputs } = before.blueprintInputs as SpokeInputs;
    return {
      change: () => updatedColumns(job, { ...inputs, ...after }),
      metadata: { from: before.size, to: after.size },
    };
  },
  stopped(_, job, before, report) {
    const from = before.size, to = job.payload.size;
    const partial = report && job.finishedSteps.includes("prepare") && {
      stateReason: `${report.message}; parts of the site may already have the size ${to}. ` +
        `Resize the spoke again, or reapply the blueprint to return to the size ${from} (disks never shrink)`,
    };
    const change = () => ({ ...updatedColumns(job, before.blueprintInputs as SpokeInputs), ...partial });
    return { change, metadata: { from, to } };
  },
});

/**
 * Returns the columns to update, with the disk sizes that the cluster reported. Keeps fields of the inputs that this
 * version of Wheelwright does not know.
 */
function updatedColumns(
  job: JobOf<typeof OPERATIONS.resize.kind>,
  inputs: SpokeInputs,
): { readonly size: string; readonly blueprintInputs: string } {
  const { disks } = job.progress;
  const updated = disks ? setDiskSizes(inputs, { ...inputs.resources.disks, ...disks }) : inputs;
  return { size: updated.size, blueprintInputs: JSON.stringify(updated) };
}
