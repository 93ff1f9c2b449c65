/**
 * Gives a spoke the CPU, memory and quota that the catalog currently lists for its size. The disks do not change.
 * During the change, the quota and limits allow both the old and the new resources.
 */
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import { computeInputsDuringResize, pickSizeInputs, replaceSizeInputs } from "#lib/moodle/resize.ts";
import { applyOfferedResources } from "#lib/catalog/inputs.ts";
import { addNotes, type OperationRun, type SpokeSite } from "#lib/steps/site.ts";

export type ReapplyRun = OperationRun<"reapply">;

/** Saves the resources that the catalog lists for the spoke's size in the job's progress, once per operation. */
export async function saveNewResources({ app, inputs }: SpokeSite, run: ReapplyRun): Promise<void> {
  if (run.job.progress.taken !== undefined) return;
  const offered = applyOfferedResources(app, inputs);
  await run.saveProgress({ taken: offered === inputs ? null : pickSizeInputs(offered) });
  if (offered !== inputs) {
    await addNotes(run, [
      `The CPU, memory or storage of the size ${offered.size} has changed in the catalog: the new values were applied`,
    ]);
  }
}

/** Returns the site with the resources that `saveNewResources` saved. */
export function withNewResources(site: SpokeSite, run: ReapplyRun): SpokeSite {
  const newAmounts = run.job.progress.taken;
  return newAmounts ? { ...site, inputs: replaceSizeInputs(site.inputs, newAmounts) } : site;
}

/** Returns the spoke's inputs with limits that are large enough for both the old and the new resources. */
export function computeInputsForBothSizes({ blueprint, inputs }: SpokeSite, run: ReapplyRun): SpokeInputs {
  const newAmounts = run.job.progress.taken;
  return newAmounts
    ? computeInputsDuringResize(inputs, replaceSizeInputs(inputs, newAmounts), blueprint.quotaUsage)
    : inputs;
}
