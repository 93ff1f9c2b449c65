/**
 * Puts an object into its place, so that a late holder can neither bring it back nor put old values into it.
 *
 * What is missing is made by a POST, which makes nothing where something stands: an apply would make or change, whichever
 * it finds when it arrives. What stands is applied under the fence (fenced-apply.ts).
 */
import { FENCE } from "#lib/moodle/names.ts";
import type { Call, KubeObject, Ref, Space } from "#lib/drivers/cluster/cluster.ts";
import type { Hold } from "#lib/records/jobs/fence.ts";
import { applyFenced } from "#lib/work/fenced-apply.ts";

/** Returns what stands there then. Throws FenceLost when a newer holder has been at it already. */
export async function putFenced(space: Space, object: KubeObject, hold: Hold, call: Call): Promise<KubeObject> {
  const { apiVersion, kind, metadata } = object;
  const ref: Ref = { apiVersion, kind, name: metadata.name };
  if (await space.get(ref, call)) return await applyFenced(space, object, hold, call);
  const annotations = { ...metadata.annotations, [FENCE]: hold.fence };
  const made = await space.create({ ...object, metadata: { ...metadata, annotations } }, call);
  return made.metadata.annotations?.[FENCE] === hold.fence ? made : await applyFenced(space, object, hold, call);
}
