/** Deletes PVCs that no site uses. Also deletes the snapshot objects of PVCs that were never bound. */
import { deleteRetainedClaims, listUnusedClaims, type RetainedClaim } from "#lib/domains/backups/retained-claims.ts";
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import { turnOf } from "#lib/moodle/names.ts";
import type { Run } from "#lib/scheduler/handler.ts";
import { MINUTE } from "#lib/base/time.ts";
import { type SpokeSite, waitingFor } from "#lib/workers/site.ts";
import { dropSources, type VolumePlace } from "#lib/workers/volumes/claims.ts";

const PATIENCE = MINUTE; // the storage continues after this time
const CLAIM = { apiVersion: "v1", kind: "PersistentVolumeClaim" };

/** Deletes PVCs, by UID if it is known, because names can be reused. */
export async function dropClaims(place: VolumePlace, run: Run, claims: readonly RetainedClaim[]): Promise<void> {
  const { space, inputs } = place, going = [];
  for (const { claim, uid } of claims) {
    const ref = { ...CLAIM, name: claim }, found = await space.get(ref, run);
    if (!found || (uid !== null && found.metadata.uid !== uid)) continue;
    await space.delete(ref, found.metadata.uid!, run);
    going.push(ref);
  }
  await space.gone(going, waitingFor(run, PATIENCE));
  const vain = claims.filter(({ reason }) => reason === "unused").map(({ operationId }) => operationId);
  for (const operation of new Set(vain)) {
    const origin = { turn: turnOf(operation), identity: "same" as const };
    await dropSources({ ...place, inputs: { ...inputs, origin } }, run);
  }
}

/** Deletes unused PVCs of failed restores to free quota. PVCs that a pod still uses are deleted later. */
export async function dropVain(site: SpokeSite, run: Run): Promise<void> {
  const { app: { db }, spoke: { id } } = site, vain = await listUnusedClaims(db.rows, id, run.job.id);
  try {
    await dropClaims(site, run, vain);
    await run.write((tx) => deleteRetainedClaims(tx, id, vain.map(({ claim }) => claim)));
  } catch (error) {
    if (!(error instanceof ClusterError) || error.code !== "deadline") throw error;
    run.log.warn("Cannot remove what an earlier restore has made", { error });
  }
}
