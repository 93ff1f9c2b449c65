/**
 * Resizes a spoke: raises the quota and limits, enlarges the disks, resizes the database and Moodle, and sets the final
 * limits. The first step computes the new size and saves it in the job's progress. Each patch changes only fields that
 * depend on the size, so that a resize does not undo other changes.
 */
import * as v from "valibot";
import type { App } from "#lib/app.ts";
import { SpokeInputs } from "#lib/moodle/inputs.ts";
import {
  computeInputsDuringResize,
  computeResizedInputs,
  DISK_NAMES,
  getLargerQuantity,
  setDiskSizes,
} from "#lib/moodle/resize.ts";
import { buildSizePatch, readSizeDependentField, type SizeDependentField } from "#lib/moodle/size-fields.ts";
import { Refusal } from "#lib/base/refusals.ts";
import type { KubeObject, ObjectRef } from "#lib/drivers/cluster/cluster.ts";
import { parseQuantity } from "#lib/drivers/cluster/diagnosis/quantity.ts";
import { OPERATIONS } from "#lib/operations/table.ts";
import type { SizeDependentInputs } from "#lib/operations/progress.ts";
import type { JobHandler } from "#lib/scheduler/handler.ts";
import { listSizeDependentObjects } from "#lib/operations/resize.ts";
import { requireOriginalSite, RESTART_ANNOTATION, spokeActionHandler } from "#lib/steps/spoke-action.ts";
import {
  describeUnexpandableDisk,
  expandPvc,
  getRequestedDiskSizes,
  readDiskPvcs,
  readExpandableDisks,
  readResizeErrorKeys,
  waitForDiskExpansion,
} from "#lib/workers/resize/disks.ts";
import { requireExpectedLoginPage } from "#lib/steps/login-page.ts";
import { addNotes, type OperationRun, type SpokeSite } from "#lib/steps/site.ts";
import { patchSiteObject, requireRunningSite, waitForQuotaUpdate, waitForWorkload } from "#lib/steps/workloads.ts";
import { DATABASE_STATEFULSET_REF, MOODLE_DEPLOYMENT_REF } from "#lib/moodle/names.ts";
import type { JobOf } from "#lib/jobs/job.ts";
import { createActionOutcomes } from "#lib/steps/outcomes.ts";

type ResizeRun = OperationRun<"resize">;

export function resizeHandler(app: App): JobHandler {
  return spokeActionHandler(app, OPERATIONS.resize, {
    prepare,
    quota: raiseLimits,
    disks: growDisks,
    async database(site, run) {
      await setSize(site, run, "database", DATABASE_STATEFULSET_REF);
      await waitForWorkload(site, run, DATABASE_STATEFULSET_REF);
      await waitForDiskExpansion(site, run, { disks: ["database"], until: "to the file system" });
    },
    verify: requireOriginalSite,
    async app(site, run) {
      await setSize(site, run, "app", MOODLE_DEPLOYMENT_REF);
      await waitForWorkload(site, run, MOODLE_DEPLOYMENT_REF);
      await waitForDiskExpansion(site, run, { disks: ["files"], until: "to the file system" });
    },
    cron: (site, run) => setSize(site, run, "cron"),
    limits: (site, run) => setSize(site, run, "limits"),
    health: requireExpectedLoginPage,
  }, { hooks: resizeOutcomes });
}

/**
 * Throws a Refusal if the site is not running, or if the new size is too small or no longer offered.
 * Also throws if a disk cannot grow and payments are configured, because the customer would pay for the full size.
 */
async function prepare(site: SpokeSite, run: ResizeRun): Promise<void> {
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
  await run.saveProgress({ before: sizeOf(present), after: sizeOf(target) });
}

/**
 * Raises each quota and limit to the larger of its old and new values, or to the total usage during the resize if that
 * is larger. Waits until the quota's status shows the new values, because Kubernetes enforces the values in the status.
 */
async function raiseLimits(site: SpokeSite, run: ResizeRun): Promise<void> {
  const { blueprint, inputs } = site;
  const [before, after] = [withStoredSize(inputs, run, "before"), withStoredSize(inputs, run, "after")];
  const limits = computeInputsDuringResize(before, after, blueprint.quotaUsage);
  const bounds = listSizeDependentObjects(blueprint, limits).limits;
  for (const { ref, fields } of bounds) {
    await patchSiteObject(
      site,
      run,
      ref,
      (object) => buildSizePatch(object, fields.map((field) => atLeast(object, field))),
    );
  }
  await waitForQuotaUpdate(site, run, bounds.map(({ ref }) => ref).filter(({ kind }) => kind === "ResourceQuota"));
}

function atLeast(object: KubeObject, { path, value }: SizeDependentField): SizeDependentField {
  const current = readSizeDependentField(object, path);
  return { path, value: current === undefined ? value : getLargerQuantity(String(current), String(value)) };
}

async function growDisks(site: SpokeSite, run: ResizeRun): Promise<void> {
  const { disks } = withStoredSize(site.inputs, run, "after").resources, before = await readResizeErrorKeys(site, run);
  for (const disk of DISK_NAMES) {
    const size = await expandPvc(site, run, disk, disks[disk]);
    await run.saveProgress({ disks: { ...run.job.progress.disks, [disk]: size } });
  }
  await waitForDiskExpansion(site, run, { disks: DISK_NAMES, until: "to the volume", pastErrorKeys: before });
}

/**
 * Applies the new size to the objects of a step. Always restarts the pods of `restarted`, because their settings or
 * their disk may have changed.
 */
async function setSize(
  site: SpokeSite,
  run: ResizeRun,
  step: "database" | "app" | "cron" | "limits",
  restarted?: ObjectRef,
): Promise<void> {
  const objects = listSizeDependentObjects(site.blueprint, withStoredSize(site.inputs, run, "after"))[step];
  for (const { ref, fields } of objects.filter((each) => !restarted || !isSameObject(each.ref, restarted))) {
    await patchSiteObject(site, run, ref, (object) => buildSizePatch(object, fields));
  }
  if (!restarted) return;
  const own = objects.find(({ ref }) => isSameObject(ref, restarted))?.fields ?? [];
  // Writes the same time in all attempts of the operation, so that a retry does not restart the pods again.
  const value = run.job.startedAt!.toISOString();
  const stamp: SizeDependentField = {
    path: ["spec", "template", "metadata", "annotations", RESTART_ANNOTATION],
    value,
  };
  await patchSiteObject(site, run, restarted, (object) => buildSizePatch(object, [...own, stamp]));
}

function isSameObject(ref: ObjectRef, other: ObjectRef): boolean {
  return ref.kind === other.kind && ref.name === other.name;
}

/** Returns the spoke's blueprint inputs with its size from before or after the resize. */
function withStoredSize(inputs: SpokeInputs, run: ResizeRun, which: "before" | "after"): SpokeInputs {
  const { madeDatabaseDisk: _, ...rest } = inputs;
  return v.parse(SpokeInputs, { ...rest, ...run.job.progress[which] });
}

function sizeOf({ size, resources, madeDatabaseDisk }: SpokeInputs): SizeDependentInputs {
  return { size, resources, ...(madeDatabaseDisk !== undefined && { madeDatabaseDisk }) };
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

/**
 * Updates the spoke's row when a resize ends. After a success, the row has the new size. After a failure, it has the
 * old size, but the actual sizes of the disks, because Kubernetes cannot shrink them.
 */
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
