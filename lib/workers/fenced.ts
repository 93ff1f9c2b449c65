/**
 * Changes to objects of the cluster that a late holder cannot make.
 *
 * `patchFenced`: the object carries the fence of the last holder that changed it, as an annotation. A holder reads it, and
 * sends one JSON Patch that tests for what it read, raises it to its own, and makes the change. The API server does all of
 * that or nothing: once a newer holder has raised the fence, an older one's patch is refused, however late it arrives.
 * Therefore a holder raises the fence of each object of its step even where it finds nothing to change. An object that was
 * never patched has no annotation, and a JSON Patch cannot test that something is absent: then its resourceVersion is
 * tested, which is stricter, and at worst read again.
 *
 * `applyFenced`: an apply tests nothing by itself; one that arrives late would bring an old image or an old size back. So
 * the fence is raised first, and what is applied names the object's uid and the version that it had with that fence: a
 * holder that raises the fence afterwards makes another version of it, and the API server refuses this one.
 *
 * `putFenced`: what is missing is made by a POST, which makes nothing where something stands: an apply would make or
 * change, whichever it finds when it arrives. `makeFenced` is the same for what is hardly there already: it does not look
 * before.
 */
import { FENCE } from "#lib/moodle/names.ts";
import {
  type Call,
  ClusterError,
  type KubeObject,
  type PatchOperation,
  type Ref,
  refOf,
  type Space,
} from "#lib/drivers/cluster/cluster.ts";
import { FenceLost, type JobFence } from "#lib/jobs/fence.ts";
import { ownByApply } from "#lib/workers/field-owner.ts";
import { finalError } from "#lib/workers/site.ts";

const TRIES = 10;
const ANNOTATION = `/metadata/annotations/${FENCE.replaceAll("~", "~0").replaceAll("/", "~1")}`;

export interface FencedPatch {
  readonly ref: Ref;
  readonly hold: JobFence;
  readonly change: (object: KubeObject) => readonly PatchOperation[];
}

/** Throws FenceLost when a newer holder has changed the object already. */
export async function patchFenced(
  space: Space,
  { ref, hold, change }: FencedPatch,
  call: Call,
): Promise<KubeObject> {
  for (let attempt = 1;; attempt++) {
    const object = await space.get(ref, call);
    if (!object) throw missing(ref);
    try {
      return await space.patch(ref, [...raise(object, hold), ...change(object)], call);
    } catch (error) {
      const refused = error instanceof ClusterError && (error.code === "Invalid" || error.code === "Conflict");
      if (!refused || attempt === TRIES) throw error; // else somebody was faster: the controllers, or a newer holder
    }
  }
}

/** Throws FenceLost when a newer holder has changed the object already, and NotFound where none exists. */
export async function applyFenced(space: Space, object: KubeObject, hold: JobFence, call: Call): Promise<KubeObject> {
  const ref = refOf(object), { metadata } = object;
  for (let attempt = 1;; attempt++) {
    const { uid, resourceVersion } = (await patchFenced(space, { ref, hold, change: ownByApply }, call)).metadata;
    const known = { ...metadata, ...(uid && { uid }), ...(resourceVersion && { resourceVersion }) };
    try {
      const { objects } = await space.apply([{ ...object, metadata: known }], call);
      return objects[0]!;
    } catch (error) {
      const refused = error instanceof ClusterError && (error.code === "Conflict" || error.status === 409);
      if (!refused || attempt === TRIES) throw error; // else somebody was faster: a controller, or a newer holder
    }
  }
}

/** Returns what stands there then. Throws FenceLost when a newer holder has been at it already. */
export async function putFenced(space: Space, object: KubeObject, hold: JobFence, call: Call): Promise<KubeObject> {
  if (await space.get(refOf(object), call)) return await applyFenced(space, object, hold, call);
  return await makeFenced(space, object, hold, call);
}

/** Returns what stands there then. Throws FenceLost when a newer holder has been at it already. */
export async function makeFenced(space: Space, object: KubeObject, hold: JobFence, call: Call): Promise<KubeObject> {
  const { metadata } = object, annotations = { ...metadata.annotations, [FENCE]: hold.fence };
  try {
    const made = await space.create({ ...object, metadata: { ...metadata, annotations } }, call);
    if (made.metadata.annotations?.[FENCE] === hold.fence) return made;
  } catch (error) {
    // A quota, or whoever else admits objects, may refuse another one before anybody sees that this one is there.
    const refused = error instanceof ClusterError && [400, 403, 422].includes(error.status);
    if (!refused || !await space.get(refOf(object), call)) throw error;
  }
  return await applyFenced(space, object, hold, call);
}

export function missing({ kind, name }: Ref): ClusterError {
  return finalError(
    "NotFound",
    `The ${kind} ${name} is not in the cluster any more`,
    "Somebody has deleted it; the volumes were not touched. Put it back as the blueprint has it, then retry.",
  );
}

/** Tests what was read, and puts our fence in its place. */
function raise(object: KubeObject, hold: JobFence): PatchOperation[] {
  const { annotations, resourceVersion } = object.metadata;
  const fence = annotations?.[FENCE];
  if (fence === undefined) {
    return [
      { op: "test", path: "/metadata/resourceVersion", value: resourceVersion },
      ...(annotations ? [] : [{ op: "add" as const, path: "/metadata/annotations", value: {} }]),
      { op: "add", path: ANNOTATION, value: hold.fence },
    ];
  }
  if (!/^\d+$/.test(fence) || BigInt(fence) > BigInt(hold.fence)) throw new FenceLost(hold);
  return [{ op: "test", path: ANNOTATION, value: fence }, { op: "replace", path: ANNOTATION, value: hold.fence }];
}
