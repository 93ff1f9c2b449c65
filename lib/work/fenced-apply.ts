/**
 * Applies an object that exists, so that a late holder cannot put back what it once was to be.
 *
 * An apply tests nothing by itself: one that arrives late would bring an old image or an old size back. So the fence is
 * raised first (fenced-patch.ts), and what is applied names the object's uid and the version that it had with that fence:
 * a holder that raises the fence afterwards makes another version of it, and the API server refuses this one.
 */
import { type Call, ClusterError, type KubeObject, type Space } from "#lib/drivers/cluster/cluster.ts";
import type { Hold } from "#lib/records/jobs/fence.ts";
import { ownByApply } from "#lib/work/field-owner.ts";
import { patchFenced } from "#lib/work/fenced-patch.ts";

const TRIES = 10;

/** Throws FenceLost when a newer holder has changed the object already, and NotFound where none exists. */
export async function applyFenced(space: Space, object: KubeObject, hold: Hold, call: Call): Promise<KubeObject> {
  const { apiVersion, kind, metadata } = object;
  const ref = { apiVersion, kind, name: metadata.name };
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
