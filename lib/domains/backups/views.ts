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
  /** When a restore test last verified it; null if none has. */
  provedAt: NullableTimestamp,
  /**
   * Results of the restored site, and how many seconds the restore took. `compared` says whether the counts were
   * compared with those of the backup.
   */
  proof: v.nullable(v.object({
    courses: v.nullable(v.number()),
    users: v.nullable(v.number()),
    seconds: v.number(),
    compared: v.boolean(),
    files: v.nullable(v.number()),
    hashed: v.nullable(v.number()),
    codeRelease: v.nullable(v.string()),
  })),
  /** Error of the last restore test. Also set if the test was skipped because the cluster had no space. */
  proofError: v.nullable(v.string()),
});

const RetainedClaimView = v.object({
  /** Name of the PersistentVolumeClaim in the spoke's namespace. */
  claim: v.string(),
  /** When the site stopped using it. */
  since: Timestamp,
  until: Timestamp,
});

export const BackupSummaryView = v.object({
  available: v.boolean(),
  schedule: v.string(),
  retention: v.object({ daily: v.number(), weekly: v.number(), monthly: v.number() }),
  lastSuccessAt: NullableTimestamp,
  lastFailureAt: NullableTimestamp,
  /** Why backups are not available; otherwise the error of the last failure. */
  lastError: v.nullable(v.string()),
  /** How often the newest backup is restored for a test. */
  drills: v.picklist(["off", "weekly", "nightly"]),
  /** When a backup of this spoke was last verified; null if never. */
  lastProvedAt: NullableTimestamp,
  /** When restore tests started to fail; null if the last one succeeded or none ran. */
  unprovedSince: NullableTimestamp,
  /** Newest first. */
  snapshots: v.array(SnapshotView),
  /**
   * PersistentVolumeClaims that a restore replaced, newest first. A rollback returns to them. After `until` they are
   * deleted once a backup was taken.
   */
  kept: v.array(RetainedClaimView),
});
export type BackupSummary = v.InferInput<typeof BackupSummaryView>;
