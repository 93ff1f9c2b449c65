/** Summarizes a spoke's backups from the database alone, without querying a cluster. */
import type { App } from "#lib/app.ts";
import { explainUnavailableBackups } from "#lib/domains/backups/snapshot-classes.ts";
import { listReplacedPvcs } from "#lib/domains/backups/retained-pvcs.ts";
import { toBackupWindow } from "#lib/catalog/tier.ts";
import { readHubTier } from "#lib/domains/federations/store.ts";
import { retentionOf } from "#lib/moodle/tier-inputs.ts";
import { isUsableBackup } from "#lib/domains/backups/retention.ts";
import { describeBackupSchedule } from "#lib/domains/backups/schedule.ts";
import { type Backup, findLastFailedBackup, listBackups, readSnapshotClasses } from "#lib/domains/backups/store.ts";
import type { BackupSummary } from "#lib/domains/backups/views.ts";
import type { Viewer } from "#lib/domains/federations/viewer.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";
import { hideOperatorDetails } from "#lib/base/operator-details.ts";
import { DAY } from "#lib/base/time.ts";

/** How long a failed backup appears in the list of backups, in milliseconds. */
const FAILURE_LISTED_FOR = 7 * DAY;

export async function summariseBackups(
  { db, config, catalog }: Pick<App, "db" | "config" | "catalog">,
  viewer: Pick<Viewer, "role">,
  { id }: Pick<SpokeRow, "id">,
): Promise<BackupSummary> {
  const spoke = await db.rows.selectFrom("spokes")
    .select(["id", "federationId", "state", "cluster", "blueprintInputs", "verifiedAt", "unverifiedSince"]).where(
      "id",
      "=",
      id,
    )
    .executeTakeFirstOrThrow();
  const window = toBackupWindow(catalog.tierOf(await readHubTier(db.rows, spoke.federationId)));
  const [backups, replacedClaims, lastFailure, observedClasses, now] = await Promise.all([
    listBackups(db.rows, spoke.id),
    listReplacedPvcs(db.rows, spoke.id),
    findLastFailedBackup(db.rows, spoke.id),
    readSnapshotClasses(db.rows, spoke.cluster),
    db.now(),
  ]);
  // Hides the last failure of a suspended spoke, because no new backups are taken while a spoke is suspended.
  const failed = isSuspended(spoke) ? null : lastFailure;
  const reason = explainUnavailableBackups(observedClasses, {
    name: spoke.blueprintInputs.surroundings?.snapshotClass,
    drivers: getVolumeDrivers(backups[0]),
  });
  return {
    available: reason === null,
    schedule: describeBackupSchedule(spoke.id, window),
    retention: { ...retentionOf(spoke.blueprintInputs) },
    lastSuccessAt: backups.find(isUsableBackup)?.readyAt ?? null,
    lastFailureAt: failed?.failedAt ?? null,
    lastError: hideOperatorDetails(viewer, reason ?? failed?.error ?? null),
    restoreTests: config.restoreTests,
    lastVerifiedAt: spoke.verifiedAt,
    unverifiedSince: spoke.unverifiedSince,
    snapshots: backups.filter((backup) => isListed(backup, now)).map((backup) => ({
      ...backup,
      verification: backup.verification && { files: null, hashed: null, codeRelease: null, ...backup.verification },
      verificationError: hideOperatorDetails(viewer, backup.verificationError),
    })) as BackupSummary["snapshots"],
    kept: spoke.state === "removed" ? [] : replacedClaims,
  };
}

function isSuspended({ state }: Pick<SpokeRow, "state">): boolean {
  return state === "suspended" || state === "suspending";
}

/** Returns whether to list a backup. Excludes old failures, and backups that are being removed. */
function isListed(backup: Backup, now: Date): boolean {
  if (backup.deletingSince !== null) return false;
  return backup.state !== "failed" || now.getTime() - backup.createdAt.getTime() < FAILURE_LISTED_FOR;
}

export function getVolumeDrivers(latest: Pick<Backup, "volumes"> | undefined): string[] {
  return (latest?.volumes ?? []).flatMap(({ driver }) => driver ?? []);
}
