/**
 * Writes Kubernetes objects so that a run that lost its job cannot overwrite a newer run's changes. Every write stores
 * the run's fence (claim number) in an annotation of the object, and fails if the annotation contains a higher fence.
 * `patchWithFence` tests and raises the fence in the same JSON Patch as the change. If the object has no fence yet, the
 * patch tests its resourceVersion instead. `applyWithFence` first raises the fence, then applies with the resulting UID
 * and resourceVersion, because server-side apply cannot test an annotation. If another run has written in between, the
 * API server rejects the apply.
 */
import { FENCE_METADATA_KEY } from "#lib/moodle/names.ts";
import {
  type ClusterCall,
  ClusterError,
  type ClusterNamespace,
  type KubeObject,
  type ObjectRef,
  type PatchOperation,
  toObjectRef,
} from "#lib/drivers/cluster/cluster.ts";
import { FenceLostError, type JobFence } from "#lib/jobs/fence.ts";
import { createFieldOwnerPatch } from "#lib/steps/field-owner.ts";
import { permanentError } from "#lib/steps/site.ts";

const TRIES = 10;
const ANNOTATION = `/metadata/annotations/${FENCE_METADATA_KEY.replaceAll("~", "~0").replaceAll("/", "~1")}`;

/** A call to the cluster on behalf of a job, such as a JobRun. */
interface FencedCall extends ClusterCall {
  readonly job: JobFence;
}

type CreatePatch = (object: KubeObject) => readonly PatchOperation[];

/** Patches an object. Throws FenceLostError if a newer run (with a higher claim number) has already changed it. */
export async function patchWithFence(
  space: ClusterNamespace,
  ref: ObjectRef,
  call: FencedCall,
  change: CreatePatch,
): Promise<KubeObject> {
  return await patchAsJob(space, ref, call.job, call, change);
}

async function patchAsJob(
  space: ClusterNamespace,
  ref: ObjectRef,
  jobFence: JobFence,
  call: ClusterCall,
  change: CreatePatch,
): Promise<KubeObject> {
  for (let attempt = 1;; attempt++) {
    const object = await space.get(ref, call);
    if (!object) throw missingObjectError(ref);
    try {
      return await space.patch(ref, [...raiseFence(object, jobFence), ...change(object)], call);
    } catch (error) {
      const refused = error instanceof ClusterError && (error.code === "Invalid" || error.code === "Conflict");
      if (!refused || attempt === TRIES) throw error; // a controller or a newer run wrote in between: try again
    }
  }
}

/** Deletes an existing object. Throws FenceLostError if a newer run has already changed it. */
export async function deleteWithFence(space: ClusterNamespace, ref: ObjectRef, call: FencedCall): Promise<void> {
  const { metadata } = await patchWithFence(space, ref, call, () => []);
  await space.delete(ref, metadata.uid!, call);
}

/**
 * Updates an object by server-side apply. Throws FenceLostError if a newer run (with a higher claim number) has already
 * changed the object, and NotFound if the object does not exist.
 */
export async function applyWithFence(
  space: ClusterNamespace,
  object: KubeObject,
  jobFence: JobFence,
  call: ClusterCall,
): Promise<KubeObject> {
  const ref = toObjectRef(object), { metadata } = object;
  for (let attempt = 1;; attempt++) {
    const { uid, resourceVersion } = (await patchAsJob(space, ref, jobFence, call, createFieldOwnerPatch)).metadata;
    const versioned = { ...metadata, ...(uid && { uid }), ...(resourceVersion && { resourceVersion }) };
    try {
      const { objects } = await space.apply([{ ...object, metadata: versioned }], call);
      return objects[0]!;
    } catch (error) {
      const refused = error instanceof ClusterError && (error.code === "Conflict" || error.status === 409);
      if (!refused || attempt === TRIES) throw error; // a controller or a newer run wrote in between: try again
    }
  }
}

/** Updates an existing object or creates a missing one. Throws FenceLostError if a newer run has changed the object. */
export async function createOrApplyWithFence(
  space: ClusterNamespace,
  object: KubeObject,
  jobFence: JobFence,
  call: ClusterCall,
): Promise<KubeObject> {
  if (await space.get(toObjectRef(object), call)) return await applyWithFence(space, object, jobFence, call);
  return await createWithFence(space, object, jobFence, call);
}

/**
 * Creates an object, or updates it by server-side apply if it exists. Throws FenceLostError if a newer run (with a higher
 * claim number) has already changed the object.
 */
export async function createWithFence(
  space: ClusterNamespace,
  object: KubeObject,
  jobFence: JobFence,
  call: ClusterCall,
): Promise<KubeObject> {
  const { metadata } = object, annotations = { ...metadata.annotations, [FENCE_METADATA_KEY]: jobFence.fence };
  try {
    const created = await space.create({ ...object, metadata: { ...metadata, annotations } }, call);
    if (created.metadata.annotations?.[FENCE_METADATA_KEY] === jobFence.fence) return created;
  } catch (error) {
    // A quota or webhook may refuse the creation of an object that already exists. The object is then updated instead.
    const refused = error instanceof ClusterError && [400, 403, 422].includes(error.status);
    if (!refused || !await space.get(toObjectRef(object), call)) throw error;
  }
  return await applyWithFence(space, object, jobFence, call);
}

export function missingObjectError({ kind, name }: ObjectRef): ClusterError {
  return permanentError(
    "NotFound",
    `The ${kind} ${name} is missing from the cluster`,
    "The object was deleted; the volumes are unchanged. Recreate the object from the blueprint, then retry.",
  );
}

/**
 * Returns the patch operations that replace the object's fence (claim number) with this run's fence. The patch fails if
 * the fence changes in between. Throws FenceLostError if the object's fence is higher.
 */
function raiseFence(object: KubeObject, jobFence: JobFence): PatchOperation[] {
  const { annotations, resourceVersion } = object.metadata;
  const fence = annotations?.[FENCE_METADATA_KEY];
  if (fence === undefined) {
    return [
      { op: "test", path: "/metadata/resourceVersion", value: resourceVersion },
      ...(annotations ? [] : [{ op: "add" as const, path: "/metadata/annotations", value: {} }]),
      { op: "add", path: ANNOTATION, value: jobFence.fence },
    ];
  }
  if (!/^\d+$/.test(fence) || BigInt(fence) > BigInt(jobFence.fence)) throw new FenceLostError(jobFence);
  return [{ op: "test", path: ANNOTATION, value: fence }, { op: "replace", path: ANNOTATION, value: jobFence.fence }];
}
