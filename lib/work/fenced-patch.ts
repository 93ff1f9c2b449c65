/**
 * Changes to an object that exists, which a late holder cannot make.
 *
 * The object carries the fence of the last holder that changed it, as an annotation. A holder reads it, and sends one
 * JSON Patch that tests for what it read, raises it to its own, and makes the change. The API server does all of that or
 * nothing: once a newer holder has raised the fence, an older one's patch is refused, however late it arrives. Therefore a
 * holder raises the fence of each object of its step even where it finds nothing to change.
 *
 * An object that was never patched has no annotation, and a JSON Patch cannot test that something is absent: then its
 * resourceVersion is tested, which is stricter, and at worst read again.
 */
import { FENCE } from "#lib/moodle/names.ts";
import {
  type Call,
  ClusterError,
  type KubeObject,
  type PatchOperation,
  type Ref,
  type Space,
} from "#lib/drivers/cluster/cluster.ts";
import { FenceLost, type Hold } from "#lib/records/jobs/fence.ts";

const TRIES = 10;
const ANNOTATION = `/metadata/annotations/${FENCE.replaceAll("~", "~0").replaceAll("/", "~1")}`;

export interface FencedPatch {
  readonly ref: Ref;
  readonly hold: Hold;
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

export function missing({ kind, name }: Ref): ClusterError {
  return new ClusterError("NotFound", `The ${kind} ${name} is not in the cluster any more`, {
    transient: false,
    blame: "operator",
    hint: "Somebody has deleted it; the volumes were not touched. Put it back as the blueprint has it, then retry.",
  });
}

/** Tests what was read, and puts our fence in its place. */
function raise(object: KubeObject, hold: Hold): PatchOperation[] {
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
