/** Defines the API schemas for a spoke's backups. */
import * as v from "valibot";
import { NullableTimestamp, Timestamp } from "#lib/base/schema.ts";

const SnapshotView = v.object({
  id: v.string(),
  createdAt: Timestamp,
  readyAt: NullableTimestamp,
  /** The minimum total size of the restored volumes, in bytes. Null if the storage driver does not report it. */
  sizeBytes: v.nullable(v.number()),
  state: v.picklist(["pending", "ready", "failed"]),
  /** The Moodle version that the site had when the backup was taken. Null if it was not recorded. */
  lmsVersion: v.nullable(v.string()),
  /** When the backup last passed a restore test. Null if it has never passed one. */
  verifiedAt: NullableTimestamp,
  /** The result of the restore test. `compared` tells whether the site's counts were compared with the backup's. */
  verification: v.nullable(v.object({
    courses: v.nullable(v.number()),
    users: v.nullable(v.number()),
    seconds: v.number(),
    compared: v.boolean(),
    files: v.nullable(v.number()),
    hashed: v.nullable(v.number()),
    codeRelease: v.nullable(v.string()),
  })),
  /** The error from the last restore test. Also set if the test was skipped because the cluster had no space. */
  verificationError: v.nullable(v.string()),
});

const RetainedClaimView = v.object({
  /** The PersistentVolumeClaim's name in the spoke's namespace. */
  claim: v.string(),
  /** When the site stopped using the volume. */
  since: Timestamp,
  until: Timestamp,
});

export const BackupSummaryView = v.object({
  available: v.boolean(),
  schedule: v.string(),
  retention: v.object({ daily: v.number(), weekly: v.number(), monthly: v.number() }),
  lastSuccessAt: NullableTimestamp,
  lastFailureAt: NullableTimestamp,
  /** Why backups are unavailable; if they are available, why the last failed backup failed. */
  lastError: v.nullable(v.string()),
  /** How often the newest backup is tested. */
  restoreTests: v.picklist(["off", "weekly", "nightly"]),
  /** When one of the spoke's backups last passed a restore test. Null if none has passed one. */
  lastVerifiedAt: NullableTimestamp,
  /** When restore tests started to fail. Null if the last test succeeded or none ran. */
  unverifiedSince: NullableTimestamp,
  snapshots: v.array(SnapshotView),
  /** PersistentVolumeClaims that a restore replaced, newest first. A rollback switches the site back to them. */
  kept: v.array(RetainedClaimView),
});
export type BackupSummary = v.InferInput<typeof BackupSummaryView>;
