/** Checks whether a spoke can be resized, and computes its new size. */
import { computeResizedInputs, DISK_NAMES, pickSizeInputs, setDiskSizes } from "#lib/moodle/resize.ts";
import { Refusal } from "#lib/base/refusals.ts";
import { parseQuantity } from "#lib/drivers/cluster/diagnosis/quantity.ts";
import {
  describeUnexpandableDisk,
  getRequestedDiskSizes,
  readDiskPvcs,
  readExpandableDisks,
} from "#lib/workers/resize/disks.ts";
import { addNotes, type OperationRun, type SpokeSite } from "#lib/steps/site.ts";
import { requireRunningSite } from "#lib/steps/workloads.ts";

export type ResizeRun = OperationRun<"resize">;

/**
 * Throws a Refusal if the site is not running, or if the new size is too small or no longer offered.
 * Also throws if a disk cannot grow and payments are configured, because the customer would pay for the full size.
 */
export async function prepareResize(site: SpokeSite, run: ResizeRun): Promise<void> {
  const { app, space, cluster, inputs } = site;
  const { size } = run.job.payload;
  const refusal = app.catalog.findProblem("size", size);
  if (refusal !== null) throw sizeError("NotOffered", `The size ${size} is no longer offered: size ${refusal}`);
  await requireRunningSite(space, run, "be resized", "resize");
  const resources = app.catalog.resourcesOf(size), claims = await readDiskPvcs(site, run);
  const present = setDiskSizes(inputs, getRequestedDiskSizes(claims)), { disks } = present.resources;
  const short = DISK_NAMES.filter((disk) => parseQuantity(disks[disk]) < parseQuantity(resources.disks[disk]));
  const canGrow = short.length > 0 ? await readExpandableDisks(cluster, run, claims) : { files: true, database: true };
  const target = computeResizedInputs(present, size, resources, { canGrow });
  const [over] = app.blueprint.quotaUsage(target).problems;
  if (over !== undefined) throw sizeError("TooSmall", `The size ${size} is too small for this site: ${over}`);
  const left = short.filter((disk) => !canGrow[disk]).map((disk) =>
    describeUnexpandableDisk(claims[disk], resources.disks[disk])
  );
  if (left.length > 0 && app.payments) throw diskError(size, left); // the customer would pay for the full size
  await addNotes(run, left);
  await run.saveProgress({ before: pickSizeInputs(present), after: pickSizeInputs(target) });
}

function diskError(size: string, left: readonly string[]): Refusal {
  return new Refusal(
    "DiskCannotGrow",
    `The site's disks cannot grow to the size ${size}. The site and its price were not changed. ${left.join(". ")}`,
    "Set allowVolumeExpansion on the storage class if its driver supports it, or choose a size with the same disks.",
  );
}

function sizeError(code: "NotOffered" | "TooSmall", message: string): Refusal {
  return new Refusal(code, message, "Choose another size, or correct this size in sizes.yaml or CATALOG.");
}
