/**
 * Checks whether a site can be restored from a backup, both when the restore is requested and when it starts, and
 * interprets the result of a backup's last restore test.
 */
import { isUsableBackup } from "#lib/domains/backups/retention.ts";
import { type Backup, findBackup, listBackups, readSnapshotClasses } from "#lib/domains/backups/store.ts";
import { Refusal } from "#lib/base/refusals.ts";
import type { RowQueries } from "#lib/drivers/db/database.ts";
import { DATABASE_STATEFULSET_REF } from "#lib/moodle/names.ts";
import type { DiskName } from "#lib/moodle/resize.ts";
import { hasOperationSucceededSince } from "#lib/jobs/restores.ts";
import { parsePostgresMajor } from "#lib/moodle/upgrade.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";

/**
 * Returns the spoke's backup with this ID or, if `id` is undefined, the newest usable backup. Throws a
 * Refusal if no site can be restored from the backup.
 */
export async function requireUsableBackup(rows: RowQueries, spoke: SpokeRow, id: string | undefined): Promise<Backup> {
  const backup = id === undefined ? await findNewestGood(rows, spoke.id) : await findBackup(rows, id);
  if (!backup || backup.spokeId !== spoke.id) {
    throw new Refusal(
      "NoBackup",
      id === undefined
        ? `The spoke ${spoke.slug} has no backup that is ready`
        : `The spoke ${spoke.slug} has no backup ${id}`,
      "To list the spoke's backups, run: wheelwright restore SPOKE --list",
    );
  }
  if (!isUsableBackup(backup)) {
    const { state, deletingSince } = backup;
    const message = deletingSince !== null || state === "deleted"
      ? `The backup ${backup.id} has expired and was deleted`
      : state === "failed"
      ? `The backup ${backup.id} was never completed`
      : `The backup ${backup.id} is being taken`;
    const hint = state === "pending" ? "Wait until the backup is ready, or choose another." : "Choose another backup.";
    throw new Refusal("BackupNotReady", message, hint);
  }
  await requireCompatibleBackup(rows, spoke, backup);
  return backup;
}

/** Returns the minimum size of each restored disk, in bytes, or null if the storage driver does not report it. */
export function getMinimumDiskSizes({ volumes }: Pick<Backup, "volumes">): Readonly<Record<DiskName, number | null>> {
  const minimum = (isDatabase: boolean) =>
    volumes.find(({ claim }) => claim.endsWith(`-${DATABASE_STATEFULSET_REF.name}-0`) === isDatabase)?.restoreSize ??
      null;
  return { files: minimum(false), database: minimum(true) };
}

async function findNewestGood(rows: RowQueries, spokeId: string): Promise<Backup | null> {
  return (await listBackups(rows, spokeId)).find(isUsableBackup) ?? null;
}

async function requireCompatibleBackup(rows: RowQueries, spoke: SpokeRow, backup: Backup): Promise<void> {
  const { id, cluster, volumes, images, lmsVersion, siteIdentifier } = backup;
  const chooseAnother = "Choose another backup.";
  if (cluster !== spoke.cluster) {
    const message = `The backup ${id} is in the cluster ${cluster}, but the spoke is in the cluster ${spoke.cluster}`;
    throw new Refusal("another_cluster", message, chooseAnother);
  }
  if (volumes.filter(({ handle }) => handle !== undefined).length < 2) {
    throw new Refusal(
      "Incomplete",
      `The backup ${id} does not contain both volumes of the spoke`,
      chooseAnother,
    );
  }
  const currentMajor = parsePostgresMajor(spoke.blueprintInputs.images.postgres),
    backupMajor = images && parsePostgresMajor(images.postgres);
  if (backupMajor !== null && backupMajor !== currentMajor) {
    const message = `The backup ${id} needs PostgreSQL ${backupMajor}, but the spoke runs PostgreSQL ${currentMajor}`;
    throw new Refusal(
      "AnotherPostgres",
      message,
      "PostgreSQL can read only data files from its own major version. Choose another backup.",
    );
  }
  if (lmsVersion === null && await hasOperationSucceededSince(rows, spoke.id, "upgrade", backup.createdAt)) {
    const message = `The backup ${id} was taken before an upgrade of the spoke and has no recorded Moodle version`;
    throw new Refusal("VersionUnknown", message, chooseAnother);
  }
  if (siteIdentifier !== null && spoke.siteIdentifier !== null && siteIdentifier !== spoke.siteIdentifier) {
    throw new Refusal("AnotherSite", `The backup ${id} belongs to another site`, chooseAnother);
  }
  const { classes } = await readSnapshotClasses(rows, cluster);
  const withoutClass = classes && volumes.find(({ driver }) => !classes.some((each) => each.driver === driver));
  if (withoutClass) {
    const message =
      `The backup ${id} needs a VolumeSnapshotClass for ${withoutClass.driver} with the deletion policy Retain`;
    throw new Refusal("NoSnapshotClass", message, "Create this VolumeSnapshotClass in the cluster.");
  }
}

/** The prefix of the error message for a restore test that was skipped. */
export const SKIPPED_TEST_PREFIX = "Not tried: ";

/** Returns why the backup's last restore test failed, or null if the test succeeded or was skipped. */
export function getRestoreTestFailure({ verificationError }: Pick<Backup, "verificationError">): string | null {
  return verificationError === null || verificationError.startsWith(SKIPPED_TEST_PREFIX) ? null : verificationError;
}

/**
 * Returns the newest usable backup, or an older verified backup if the newest backup failed its restore test.
 * `backups` must be sorted newest first.
 */
export function preferVerifiedBackup(backups: readonly Backup[]): Backup | null {
  const good = backups.filter(isUsableBackup), newest = good[0] ?? null;
  if (newest === null || getRestoreTestFailure(newest) === null) return newest;
  return good.find((backup) => backup.verifiedAt !== null && getRestoreTestFailure(backup) === null) ?? newest;
}
