/** Writes the Kubernetes objects of a site. */
import { adaptManifestToExistingObject, formatObjectTitle } from "#lib/moodle/expected-objects.ts";
import {
  addErrorDetails,
  ClusterError,
  type ClusterNamespace,
  type KubeObject,
  type PatchOperation,
  toObjectRef,
} from "#lib/drivers/cluster/cluster.ts";
import { findManifestMismatches } from "#lib/drivers/cluster/diff.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { applyWithFence, createOrApplyWithFence, patchWithFence } from "#lib/steps/fenced-objects.ts";

/** Applies the objects in the given order. Returns them as they are stored in the cluster. */
export async function applySiteObjects(
  space: ClusterNamespace,
  run: JobRun,
  objects: readonly KubeObject[],
): Promise<KubeObject[]> {
  const applied: KubeObject[] = [];
  for (const object of objects) {
    const existing = await space.get(toObjectRef(object), run);
    if (existing) {
      applied.push(await applyOrReplaceFields(space, run, adaptManifestToExistingObject(object, existing), existing));
    } else applied.push(await createOrApplyWithFence(space, object, run.job, run));
  }
  return applied;
}

/**
 * Applies an object. If the API server rejects it, for example because another program added a port with the same name,
 * replaces the differing fields and applies the object again.
 */
async function applyOrReplaceFields(
  space: ClusterNamespace,
  run: JobRun,
  object: KubeObject,
  existing: KubeObject,
): Promise<KubeObject> {
  try {
    return await applyWithFence(space, object, run.job, run);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    run.log.warn("An object conflicts with fields set by another program; replacing these fields", {
      object: formatObjectTitle(object),
      error,
    });
  }
  try {
    const spec = object["spec"] ?? {},
      fields = findManifestMismatches(object, existing).map((path) => /^spec\.(\w+)/.exec(path)?.[1] ?? "");
    const change = [...new Set(fields)].filter((field) => Object.hasOwn(spec, field))
      .map((field): PatchOperation => ({ op: "add", path: `/spec/${field}`, value: spec[field] }));
    await patchWithFence(space, toObjectRef(object), run, () => change);
    return await applyWithFence(space, object, run.job, run);
  } catch (error) {
    throw isRefusal(error) ? explainRefusal(error, object) : error;
  }
}

function isRefusal(error: unknown): error is ClusterError {
  return error instanceof ClusterError && error.status === 422 && !error.transient;
}

/** Adds a hint to the error: an operator must recreate the object, because its immutable fields differ. */
function explainRefusal(error: ClusterError, object: KubeObject): ClusterError {
  return addErrorDetails(error, {
    blame: "operator",
    hint: `${
      formatObjectTitle(object)
    } differs in immutable fields. Delete the object (the volumes stay), then reapply to recreate it.`,
  });
}
