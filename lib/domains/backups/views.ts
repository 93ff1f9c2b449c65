/** Schemas of a spoke's backups in the API. */
import * as v from "valibot";
import { NullableTimestamp, Timestamp } from "#lib/base/schema.ts";

const SnapshotView = v.object({
  id: v.string(),
  createdAt: Timestamp,
  readyAt: NullableTimestamp,
  /** Minimum bytes of the restored volumes; null if the storage driver does not report it. */
  sizeBytes: v.nullable(v.number()),
  state: v.picklist(["pending", "ready", "failed"]),
  /** Moodle version of the spoke at that time; null if not recorded. */
  lmsVersion: v.nullable(v.string()),
  /** The time of the last successful restore test. Null if the backup was never verified. */
  verifiedAt: NullableTimestamp,
  /** The results of the restore test. `compared` is whether the counts were compared with those of the backup. */
  verification: v.nullable(v.object({
    courses: v.nullable(v.number()),
    users: v.nullable(v.number()),
    seconds: v.number(),
    compared: v.boolean(),
    files: v.nullable(v.number()),
    hashed: v.nullable(v.number()),
    codeRelease: v.nullable(v.string()),
  })),
  /** Error of the last restore test. Also set if the test was skipped because the cluster had no space. */
  verificationError: v.nullable(v.string()),
});

const RetainedClaimView = v.object({
  /** Name of the PersistentVolumeClaim in the spoke's namespace. */
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
  /** The reason why backups are not available, or else the error of the last failure. */
  lastError: v.nullable(v.string()),
  /** The interval between restore tests of the newest backup. */
  restoreTests: v.picklist(["off", "weekly", "nightly"]),
  /** The time when a backup of this spoke was last verified. Null if none was verified. */
  lastVerifiedAt: NullableTimestamp,
  /** The time when restore tests started to fail. Null if the last test succeeded or none ran. */
  unverifiedSince: NullableTimestamp,
  snapshots: v.array(SnapshotView),
  /** PersistentVolumeClaims that a restore replaced, newest first. A rollback returns to them. */
  kept: v.array(RetainedClaimView),
});
export type BackupSummary = v.InferInput<typeof BackupSummaryView>;
