/**
 * Updates the spoke's row at the end of a resize. After success the row has the new size. After a failure it has the
 * actual disk sizes, because Kubernetes would refuse a smaller request.
 */
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import { type DiskSizes, withDisks } from "#lib/moodle/resize.ts";
import type { Job } from "#lib/jobs/job.ts";
import { actionOutcomes } from "#lib/workers/outcomes.ts";

/** The part of a spoke's inputs that depends on its size. */
export type ResizedSpoke = Pick<SpokeInputs, "size" | "resources" | "madeDatabaseDisk">;

export const resizeOutcomes = actionOutcomes({
  succeeded(_, job, before) {
    const after = job.progress.after as ResizedSpoke;
    const { madeDatabaseDisk: _made, ...inputs } = before.blueprintInputs as SpokeInputs;
    return { change: () => rewritten(job, { ...inputs, ...after }), metadata: { from: before.size, to: after.size } };
  },
  stopped(_, job, before, report) {
    const from = before.size, to = String(job.payload.size);
    const half = report && job.finishedSteps.includes("prepare") && {
      stateReason: `${report.message}; some of it may have the size ${to} by now: resize it again, or reapply the ` +
        `blueprint to have all of it ${from} (disks stay as large as they have become)`,
    };
    const change = () => ({ ...rewritten(job, before.blueprintInputs as SpokeInputs), ...half });
    return { change, metadata: { from, to } };
  },
});

/**
 * Returns the row's size and inputs with the disk sizes that the cluster reported, which may be larger. Keeps fields
 * that a later release added.
 */
function rewritten(job: Job, inputs: SpokeInputs): { readonly size: string; readonly blueprintInputs: string } {
  const disks = job.progress.disks as Partial<DiskSizes> | undefined;
  const seen = disks ? withDisks(inputs, { ...inputs.resources.disks, ...disks }) : inputs;
  return { size: seen.size, blueprintInputs: JSON.stringify(seen) };
}
