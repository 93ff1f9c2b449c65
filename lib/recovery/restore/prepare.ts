/** Chooses what a restore restores, before the site is stopped: a backup, or the volumes from before the last restore. */
import { Refusal } from "#lib/base/refusals.ts";
import { findRollbackVolumes } from "#lib/domains/backups/retained-pvcs.ts";
import { getMinimumDiskSizes, requireUsableBackup } from "#lib/domains/backups/usable.ts";
import { hasOperationSucceededSince } from "#lib/jobs/restores.ts";
import { getAdoptionId, getSitePvcNames } from "#lib/moodle/names.ts";
import {
  buildVersionAndVolumesFromBackup,
  extractVersionAndVolumes,
  type SiteVersionAndVolumes,
} from "#lib/moodle/site-base.ts";
import { PVC } from "#lib/moodle/storage-objects.ts";
import type { PreparedRestore } from "#lib/operations/restore.ts";
import type { SpokeOperationKind } from "#lib/operations/table.ts";
import type { RestoreRun } from "#lib/recovery/restore/restored-site.ts";
import { addNotes, type SpokeSite } from "#lib/steps/site.ts";
import { readCodeVersionOfImage } from "#lib/steps/site-jobs.ts";

/** Chooses the backup or the previous volumes to restore. Stores the choice in the job's progress, for retries. */
export async function chooseTarget(site: SpokeSite, run: RestoreRun): Promise<void> {
  const { inputs } = site, { payload } = run.job;
  const choice = "backupId" in payload
    ? await findBackupTarget(site, run, payload.backupId)
    : await findRollbackTarget(site);
  if (choice.backupId === null) await requireRollbackPvcs(site, run, choice.target);
  const { images } = choice.target;
  // Pulls the image before the site is stopped, so that the site keeps running if the image cannot be pulled.
  if (images.moodle !== inputs.images.moodle) {
    await readCodeVersionOfImage({ ...site, inputs: { ...inputs, images } }, run);
  }
  await run.saveProgress({ restore: { before: extractVersionAndVolumes(inputs), ...choice } });
}

type RestoreChoice = Omit<PreparedRestore, "before">;

async function findBackupTarget(
  { app: { db }, spoke, inputs }: SpokeSite,
  run: RestoreRun,
  id: string,
): Promise<RestoreChoice> {
  const backup = await requireUsableBackup(db.rows, spoke, id), { createdAt } = backup;
  const target = buildVersionAndVolumesFromBackup(
    inputs,
    { ...backup, minimumSizes: getMinimumDiskSizes(backup) },
    getAdoptionId(run.job.id),
  );
  const since = (kind: SpokeOperationKind) => hasOperationSucceededSince(db.rows, spoke.id, kind, createdAt);
  const time = createdAt.toISOString().slice(0, 16).replace("T", " ");
  await addNotes(run, [
    `Restoring backup ${id} of ${time} UTC, Moodle ${target.version}`,
    ...(await since("reset-admin-password") ? [PASSWORD_NOTE] : []),
  ]);
  return { target, backupId: id, reworded: await since("configure") };
}

const PASSWORD_NOTE = "The site has the administrator password from the time of the backup. " +
  'The Secret "admin" has a newer one: run reset-admin-password to set the same new password in both';

async function findRollbackTarget({ app: { db }, spoke }: SpokeSite): Promise<RestoreChoice> {
  const rollback = await findRollbackVolumes(db.rows, spoke);
  if (!rollback) {
    throw new Refusal("NoWayBack", "The volumes from before the last restore no longer exist", "Choose a backup.");
  }
  const { siteBase: target, since } = rollback;
  const reworded = since !== null && await hasOperationSucceededSince(db.rows, spoke.id, "configure", since);
  return { target, backupId: null, reworded };
}

/** Throws if a PVC for the rollback no longer exists or has no volume. This check runs before the site is stopped. */
async function requireRollbackPvcs(
  { space }: SpokeSite,
  run: RestoreRun,
  target: SiteVersionAndVolumes,
): Promise<void> {
  for (const name of Object.values(getSitePvcNames(target))) {
    const pvc = await space.get({ ...PVC, name }, run);
    if (pvc?.["status"]?.phase === "Bound" && pvc.metadata.deletionTimestamp === undefined) continue;
    const message = `PersistentVolumeClaim ${name} from before the last restore ${
      pvc ? "has no volume" : "was deleted"
    }`;
    throw new Refusal("NoWayBack", message, "Choose a backup.");
  }
}
