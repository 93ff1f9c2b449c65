/**
 * Applies the current amounts of a spoke's size. The row is updated after success.
 * Until all parts are changed, the limits are large enough for both sizes. Disks stay as they are; only a resize
 * enlarges them.
 */
import * as v from "valibot";
import { SpokeInputs } from "#lib/moodle/inputs.ts";
import { inputsDuringResize } from "#lib/moodle/resize.ts";
import { withOfferedResources } from "#lib/catalog/inputs.ts";
import type { Job } from "#lib/jobs/job.ts";
import type { Run } from "#lib/scheduler/handler.ts";
import type { ResizedSpoke } from "#lib/workers/resize/outcomes.ts";
import { addNotes, type SpokeSite } from "#lib/workers/site.ts";

/** Chooses the new amounts, once per operation, and stores them in its progress. */
export async function chooseSize({ app, inputs }: SpokeSite, run: Run): Promise<void> {
  if (run.job.progress.taken !== undefined) return;
  const offered = withOfferedResources(app, inputs);
  const { size, resources, madeDatabaseDisk } = offered;
  const taken: ResizedSpoke = { size, resources, ...(madeDatabaseDisk !== undefined && { madeDatabaseDisk }) };
  await run.saveProgress({ taken: offered === inputs ? null : taken });
  if (offered !== inputs) {
    await addNotes(run, [`The size ${size} has other amounts now than when this was made: they were taken over`]);
  }
}

/** Returns the site with the new amounts. */
export function withNewAmounts(site: SpokeSite, run: Run): SpokeSite {
  const taken = newAmountsOf(run.job);
  return taken ? { ...site, inputs: withSize(site.inputs, taken) } : site;
}

/** Returns the inputs with limits that are large enough for both sizes. */
export function inputsBetween({ blueprint, inputs }: SpokeSite, run: Run): SpokeInputs {
  const taken = newAmountsOf(run.job);
  return taken ? inputsDuringResize(inputs, withSize(inputs, taken), blueprint.quotaUsage) : inputs;
}

export function newAmountsOf({ progress }: Pick<Job, "progress">): ResizedSpoke | null {
  return (progress.taken ?? null) as ResizedSpoke | null;
}

export function withSize({ madeDatabaseDisk: _, ...inputs }: SpokeInputs, taken: ResizedSpoke): SpokeInputs {
  return v.parse(SpokeInputs, { ...inputs, ...taken });
}
