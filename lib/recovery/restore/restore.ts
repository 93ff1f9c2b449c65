/**
 * Restores a site from a backup, or rolls it back to the volumes from before its last restore. The new volumes are
 * created while the site still runs. Then the site is stopped and switched to them (switch-database.ts). The previous
 * volumes are kept for some days, so that the restore can be undone.
 */
import { Refusal } from "#lib/base/refusals.ts";
import type { App } from "#lib/app.ts";
import { findBackup } from "#lib/domains/backups/store.ts";
import { getMinimumDiskSizes, requireUsableBackup } from "#lib/domains/backups/usable.ts";
import { findRollbackVolumes } from "#lib/domains/backups/rollback.ts";
import {
  buildVersionAndVolumesFromBackup,
  extractVersionAndVolumes,
  replaceVersionAndVolumes,
  type SiteVersionAndVolumes,
} from "#lib/moodle/site-base.ts";
import { DATABASE_STATEFULSET_REF, getAdoptionId, getSitePvcNames, MOODLE_DEPLOYMENT_REF } from "#lib/moodle/names.ts";
import { SITE_DETAIL_SEED_PARTS } from "#lib/moodle/seed.ts";
import { isSiteAtVersion } from "#lib/moodle/upgrade.ts";
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import type { PreparedRestore } from "#lib/operations/restore.ts";
import { hasOperationSucceededSince, hasRestoreChangedSite } from "#lib/jobs/restores.ts";
import { OPERATIONS, type SpokeOperationKind } from "#lib/operations/table.ts";
import { buildUpgradeChanges } from "#lib/operations/upgrade.ts";
import { type JobHandler, type RunOf, wrapStepFunctions } from "#lib/scheduler/handler.ts";
import { readStateAfterFailure, spokeActionHandler } from "#lib/steps/spoke-action.ts";
import { recordImageDigest } from "#lib/steps/image-digest.ts";
import { requireSameSite } from "#lib/steps/site-identity.ts";
import { loadHubSettings, setUpSite } from "#lib/steps/set-up.ts";
import { requireMaintenancePage } from "#lib/steps/login-page.ts";
import {
  excludeAdminsFromSingleSignOn,
  readCodeVersionOfImage,
  setMaintenanceMode,
  storeFenceInDatabase,
} from "#lib/steps/site-jobs.ts";
import { applySiteObjects } from "#lib/steps/site-objects.ts";
import { stopWorkloads } from "#lib/steps/stop.ts";
import { deleteUnusedPvcs } from "#lib/recovery/restore/delete-pvcs.ts";
import { retainReplacedPvcs } from "#lib/recovery/restore/retain-pvcs.ts";
import { isSiteDown, restoreOutcomes } from "#lib/recovery/restore/outcomes.ts";
import { raiseStorageQuota, withStorageQuota } from "#lib/recovery/restore/storage-quota.ts";
import { switchDatabase } from "#lib/recovery/restore/switch-database.ts";
import {
  patchSiteObjects,
  resumeCronUnlessMaintenance,
  scaleSite,
  stopIncompleteSite,
  waitForWorkload,
} from "#lib/steps/workloads.ts";
import { addNotes, isStepError, type SpokeSite, withRecoveryInstructions } from "#lib/steps/site.ts";
import { waitUntilPvcsBound } from "#lib/recovery/volumes/wait-until-bound.ts";
import { createPvcsFromSnapshots, deleteSourceSnapshotsWhenBound } from "#lib/recovery/volumes/pvcs.ts";
import { readBackupSnapshots } from "#lib/recovery/volumes/backup-snapshots.ts";
import { MINUTE } from "#lib/base/time.ts";

type RestoreRun = RunOf<typeof OPERATIONS.restore.kind>;
const CLEANUP_TIMEOUT = 4 * MINUTE; // for each of the three kinds of objects to delete

export function restoreHandler(app: App): JobHandler {
  const handler = spokeActionHandler(app, OPERATIONS.restore, {
    prepare: chooseTarget,
    async volumes(site, run) {
      const { backupId } = preparedRestoreOf(run);
      if (backupId === null) return; // a rollback uses existing volumes
      const backup = (await findBackup(app.db.rows, backupId))!;
      await deleteUnusedPvcs(site, run);
      await raiseStorageQuota(restoredSiteOf(site, run), run);
      await createPvcsFromSnapshots(restoredSiteOf(site, run), run, readBackupSnapshots(backup, site.spoke));
      await waitUntilPvcsBound(restoredSiteOf(site, run), run);
    },
    stop: ({ space }, run) => stopWorkloads(space, run),
    switch: (site, run) => switchDatabase(restoredSiteOf(site, run), run),
    database: async (site, run) => await startDatabase(restoredSiteOf(site, run), run),
    async app(site, run) {
      const restoredSite = restoredSiteOf(site, run);
      await patchSiteObjects(restoredSite, run, buildUpgradeChanges(restoredSite.blueprint, restoredSite.inputs).app);
      await scaleSite(restoredSite, run, MOODLE_DEPLOYMENT_REF, 1);
      await waitForWorkload(restoredSite, run, MOODLE_DEPLOYMENT_REF);
      await recordImageDigest(restoredSite, run);
    },
    setup: (site, run) => setUpRestoredSite(restoredSiteOf(site, run), run),
    async cron(site, run) {
      const restoredSite = restoredSiteOf(site, run);
      await patchSiteObjects(restoredSite, run, buildUpgradeChanges(restoredSite.blueprint, restoredSite.inputs).cron);
      await resumeCronUnlessMaintenance(restoredSite, run);
    },
    async retain(site, run) {
      await retainReplacedPvcs(site, run, preparedRestoreOf(run));
      if (preparedRestoreOf(run).backupId !== null) await deleteSourcesInTime(restoredSiteOf(site, run), run);
    },
  }, {
    hooks: restoreOutcomes,
    async observe(site, run) {
      if (!await isSiteDown(app.db.rows, run.job)) return await readStateAfterFailure(site, run);
      const state = await stopIncompleteSite(site, run);
      await scaleSite(site, run, DATABASE_STATEFULSET_REF, 0); // so that no pod uses the database volume
      return state;
    },
  });
  return wrapStepFunctions(handler, (work) => (run) => addRollbackHint(work, run));
}

/** Chooses the backup or the previous volumes to restore. Stores the choice in the job's progress, for retries. */
async function chooseTarget(site: SpokeSite, run: RestoreRun): Promise<void> {
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
    throw new Refusal(
      "NoWayBack",
      "The volumes from before the last restore no longer exist",
      "Choose a backup.",
    );
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
    const pvc = await space.get({ apiVersion: "v1", kind: "PersistentVolumeClaim", name }, run);
    if (pvc?.["status"]?.phase === "Bound" && pvc.metadata.deletionTimestamp === undefined) continue;
    const message = `PersistentVolumeClaim ${name} from before the last restore ${
      pvc ? "has no volume" : "was deleted"
    }`;
    throw new Refusal("NoWayBack", message, "Choose a backup.");
  }
}

/**
 * Starts the database. Throws if it contains another site or another Moodle version. Stores the job's fence (claim
 * number) in the database, so that Kubernetes Jobs of earlier attempts refuse to run.
 */
async function startDatabase(restoredSite: SpokeSite, run: RestoreRun): Promise<void> {
  await scaleSite(restoredSite, run, DATABASE_STATEFULSET_REF, 1);
  await waitForWorkload(restoredSite, run, DATABASE_STATEFULSET_REF);
  const site = await storeFenceInDatabase(restoredSite, run), { version } = restoredSite.inputs;
  await requireSameSite(run, restoredSite.spoke, site);
  if (isSiteAtVersion(site, { version, code: null })) return;
  const message = `The database has Moodle ${
    site.release ?? "of an unknown version"
  }, but the backup was taken with ${version}`;
  throw new Refusal("AnotherVersion", message, "Choose another backup.");
}

/**
 * Applies changed settings and checks the site, with maintenance mode off. Turns maintenance mode on again if the
 * spoke's row says that it was on.
 */
async function setUpRestoredSite(restoredSite: SpokeSite, run: RestoreRun): Promise<void> {
  const { blueprint, inputs, space, spoke: { maintenance } } = restoredSite,
    { backupId, reworded } = preparedRestoreOf(run);
  if (maintenance || backupId === null) await setMaintenanceMode(restoredSite, run, "disable");
  const parts = reworded ? SITE_DETAIL_SEED_PARTS : [];
  await applySiteObjects(
    space,
    run,
    blueprint.spokeObjects(inputs, "seed", await loadHubSettings(restoredSite, run), parts),
  );
  await setUpSite(restoredSite, run);
  await excludeAdminsFromSingleSignOn(restoredSite, run);
  if (!maintenance) return;
  await setMaintenanceMode(restoredSite, run, "enable");
  await requireMaintenancePage(restoredSite, run);
}

/** Deletes the snapshots from which the volumes were created. A timeout only adds a note: the site already works. */
async function deleteSourcesInTime(restoredSite: SpokeSite, run: RestoreRun): Promise<void> {
  try {
    await deleteSourceSnapshotsWhenBound(restoredSite, {
      ...run,
      timeLeft: () => Math.min(run.timeLeft(), CLEANUP_TIMEOUT),
    });
  } catch (error) {
    if (!(error instanceof ClusterError) || error.code !== "deadline") throw error;
    await addNotes(run, [
      `The VolumeSnapshots could not be deleted: ${error.message}. They will be deleted with the spoke.`,
    ]);
  }
}

function preparedRestoreOf(run: RestoreRun): PreparedRestore {
  return run.job.progress.restore!;
}

/** Returns the site with blueprint inputs that name the restored volumes. */
function restoredSiteOf(site: SpokeSite, run: RestoreRun): SpokeSite {
  const inputs = replaceVersionAndVolumes(site.inputs, preparedRestoreOf(run).target);
  return { ...site, inputs: withStorageQuota(inputs, run.job.progress.storageQuota) };
}

async function addRollbackHint(work: (run: RestoreRun) => Promise<void>, run: RestoreRun): Promise<void> {
  try {
    await work(run);
  } catch (error) {
    if (!isStepError(error) || !hasRestoreChangedSite(run.job) || run.signal.aborted) throw error;
    const command = `wheelwright restore ${run.job.spokeId}`, isRollback = preparedRestoreOf(run).backupId === null;
    throw withRecoveryInstructions(
      error,
      "The previous volumes are unchanged",
      (hint) =>
        `${hint ?? "Fix the cause, then retry."} Or ask an operator to roll back: ${command}${
          isRollback ? "" : " --back"
        }`,
    );
  }
}
