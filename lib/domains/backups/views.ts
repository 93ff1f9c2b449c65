/** Defines the API schemas for a spoke's backups. */
import * as v from "valibot";
import { BACKUP_STATES } from "#lib/model/backup.ts";
import { NullableTimestamp, Timestamp } from "#lib/base/schema.ts";

const SnapshotView = v.object({
  id: v.string(),
  createdAt: Timestamp,
  readyAt: NullableTimestamp,
  /** The minimum total size of the restored volumes, in bytes. Null if the storage driver does not report a size. */
  sizeBytes: v.nullable(v.number()),
  state: v.picklist(BACKUP_STATES.filter((state) => state !== "deleted")),
  /** The site's Moodle version when the backup was taken. Null if the version was not recorded. */
  lmsVersion: v.nullable(v.string()),
  /** The time when the backup last passed a restore test. Null if the backup has never passed a test. */
  verifiedAt: NullableTimestamp,
  /** The result of the restore test. `compared` says whether the numbers of courses and users were compared. */
  verification: v.nullable(v.object({
    courses: v.nullable(v.number()),
    users: v.nullable(v.number()),
    seconds: v.number(),
    compared: v.boolean(),
    files: v.nullable(v.number()),
    hashed: v.nullable(v.number()),
    codeRelease: v.nullable(v.string()),
  })),
  /** The error from the last restore test, or why the test was skipped (for example, no space in the cluster). */
  verificationError: v.nullable(v.string()),
});

const RetainedClaimView = v.object({
  /** The PersistentVolumeClaim's name in the spoke's namespace. */
  claim: v.string(),
  /** The time when the site stopped using the volume. */
  since: Timestamp,
  until: Timestamp,
});

export const BackupSummaryView = v.object({
  available: v.boolean(),
  schedule: v.string(),
  retention: v.object({ daily: v.number(), weekly: v.number(), monthly: v.number() }),
  lastSuccessAt: NullableTimestamp,
  lastFailureAt: NullableTimestamp,
  /** Why the cluster cannot take backups or, if it can, why the last failed backup failed. */
  lastError: v.nullable(v.string()),
  /** The interval at which the newest backup is tested. */
  restoreTests: v.picklist(["off", "weekly", "nightly"]),
  /** The time when a backup of the spoke last passed a restore test. Null if no backup has passed a test. */
  lastVerifiedAt: NullableTimestamp,
  /** The time when restore tests started to fail. Null if the last test succeeded or no test has run. */
  unverifiedSince: NullableTimestamp,
  snapshots: v.array(SnapshotView),
  /** The PersistentVolumeClaims that a restore replaced, newest first. A rollback uses them again. */
  kept: v.array(RetainedClaimView),
});
export type BackupSummary = v.InferInput<typeof BackupSummaryView>;
