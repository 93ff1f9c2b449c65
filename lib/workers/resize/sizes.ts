/** Applies a new size to the objects of a site. */
import { computeInputsDuringResize, getLargerQuantity, replaceSizeInputs } from "#lib/moodle/resize.ts";
import { buildSizePatch, readSizeDependentField, type SizeDependentField } from "#lib/moodle/size-fields.ts";
import type { KubeObject, ObjectRef } from "#lib/drivers/cluster/cluster.ts";
import { listSizeDependentObjects } from "#lib/operations/resize.ts";
import { RESTART_ANNOTATION } from "#lib/steps/spoke-action.ts";
import type { SpokeSite } from "#lib/steps/site.ts";
import { patchSiteObject, waitForQuotaUpdate } from "#lib/steps/workloads.ts";
import type { ResizeRun } from "#lib/workers/resize/prepare.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";

/**
 * Applies the new size to the objects of a step. Always restarts the pods of `restarted`, because their settings or
 * their disk may have changed.
 */
export async function setSize(
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
export function withStoredSize(inputs: SpokeInputs, run: ResizeRun, which: "before" | "after"): SpokeInputs {
  return replaceSizeInputs(inputs, run.job.progress[which]);
}

/**
 * Raises each quota and limit to the larger of its old and new values, or to the total usage during the resize if that
 * is larger. Waits until the quota's status shows the new values, because Kubernetes enforces the values in the status.
 */
export async function raiseLimits(site: SpokeSite, run: ResizeRun): Promise<void> {
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
