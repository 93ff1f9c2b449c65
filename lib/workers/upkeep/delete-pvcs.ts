/**
 * Deletes PVCs that restores left behind. PVCs that a restore replaced are kept for some days, and at least until a
 * newer good backup exists. Nothing is deleted while the spoke is not active, or a restore is queued or running.
 */
import type { App } from "#lib/app.ts";
import {
  deletePvcRowsOfRemovedSpokes,
  deleteRetainedPvcRows,
  findSpokesWithExpiredPvcs,
  markExpiredPvcs,
  type RetainedPvc,
} from "#lib/domains/backups/retained-pvcs.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { tryInCluster } from "#lib/steps/site.ts";
import { applyMailSettings } from "#lib/catalog/inputs.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import { getSitePvcNames } from "#lib/moodle/names.ts";
import { OPERATIONS } from "#lib/operations/table.ts";
import { listLiveOperations } from "#lib/jobs/store.ts";
import type { JobHandler, JobRun } from "#lib/scheduler/handler.ts";
import { lockSpoke, type SpokeRow } from "#lib/domains/spokes/store.ts";
import { HOUR, MINUTE } from "#lib/base/time.ts";
import { deleteRetainedPvcs } from "#lib/recovery/restore/retained-pvcs.ts";
import { upkeepHandler } from "#lib/steps/upkeep.ts";
import type { VolumeContext } from "#lib/recovery/volumes/pvcs.ts";

const MAX_SPOKES = 100; // the maximum number of spokes per run; the job runs every hour

export function deleteExpiredPvcs(app: App): JobHandler {
  return upkeepHandler({ kind: "delete-retained-pvcs", every: HOUR, limit: 2 * HOUR }, {
    removed: ["Deleting volume records of removed spokes", MINUTE, () => deletePvcRowsOfRemovedSpokes(app.db.rows)],
    spokes: ["Deleting unused volumes", HOUR, async (run) => {
      for (const id of await findSpokesWithExpiredPvcs(app.db.rows, MAX_SPOKES)) await deleteDuePvcs(app, run, id);
    }],
  });
}

async function deleteDuePvcs(app: App, run: JobRun, id: string): Promise<void> {
  const { spoke, due } = await run.write((tx) => markDuePvcs(tx, id));
  if (due.length === 0) return;
  await tryInCluster(
    run,
    async () => {
      await deleteRetainedPvcs(await openVolumeContext(app, spoke), run, due);
      await run.write((tx) => deleteRetainedPvcRows(tx, id, due.map(({ claim }) => claim)));
    },
    "warn",
    "Cannot delete unused volumes of a site; retrying in an hour",
    { spoke: id },
  );
}

async function openVolumeContext(
  { clusters, blueprint, config }: App,
  { cluster: name, ...spoke }: SpokeRow,
): Promise<VolumeContext> {
  const cluster = await clusters.open(name), space = cluster.space(spoke.namespace, spoke.namespaceUid!);
  return { cluster, space, blueprint, inputs: applyMailSettings(config, spoke.blueprintInputs as SpokeInputs) };
}

/** Locks the spoke's row, marks the PVCs to delete, and returns them. A rollback can no longer use a marked PVC. */
async function markDuePvcs(
  tx: Tx,
  id: string,
): Promise<{ readonly spoke: SpokeRow; readonly due: readonly RetainedPvc[] }> {
  const spoke = await lockSpoke(tx, id), live = await listLiveOperations(tx, id);
  const isFree = spoke.state === "active" && live.every(({ kind }) => kind !== OPERATIONS.restore.name);
  const used = Object.values(getSitePvcNames(spoke.blueprintInputs as SpokeInputs));
  const due = isFree ? await markExpiredPvcs(tx, id) : [];
  return { spoke, due: due.filter(({ claim }) => !used.includes(claim)) };
}
