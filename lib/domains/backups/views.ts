/** What the API shows of a spoke's backups. */
import * as v from "valibot";
import { NullableTimestamp, Timestamp } from "#lib/base/schema.ts";

const SnapshotView = v.object({
  id: v.string(),
  createdAt: Timestamp,
  readyAt: NullableTimestamp,
  /** Bytes that the restored volumes would have at least; null where the storage driver does not say. */
  sizeBytes: v.nullable(v.number()),
  state: v.picklist(["pending", "ready", "failed"]),
  /** Of the platform, as the spoke had it then; null where that was not noted. */
  lmsVersion: v.nullable(v.string()),
  /** When a drill restored it last and found all as it was; null where none has. */
  provedAt: NullableTimestamp,
  /**
   * What was found in the restored site, and how many seconds it took to be there. `compared` says whether the counts could be
   * held against what was counted when the backup was taken.
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
  /** Why the last drill did not prove it; of one that the cluster had no room for, that it was not tried. */
  proofError: v.nullable(v.string()),
});

const RetainedClaimView = v.object({
  /** Its name in the spoke's namespace. */
  claim: v.string(),
  /** Since when the site uses another. */
  since: Timestamp,
  until: Timestamp,
});

export const BackupSummaryView = v.object({
  available: v.boolean(),
  schedule: v.string(),
  retention: v.object({ daily: v.number(), weekly: v.number(), monthly: v.number() }),
  lastSuccessAt: NullableTimestamp,
  lastFailureAt: NullableTimestamp,
  /** Where backups are not available, why; else the last failure's. */
  lastError: v.nullable(v.string()),
  /** How often the newest backup is restored, to prove it. */
  drills: v.picklist(["off", "weekly", "nightly"]),
  /** When a backup of this spoke was proved last; null where none was. */
  lastProvedAt: NullableTimestamp,
  /** Since when none could be proved; null where the last drill proved one, or none was tried. */
  unprovedSince: NullableTimestamp,
  /** Newest first. */
  snapshots: v.array(SnapshotView),
  /** Volume claims that a restore has replaced, newest first: the way back. After their time they go when a backup was taken. */
  kept: v.array(RetainedClaimView),
});
export type BackupSummary = v.InferInput<typeof BackupSummaryView>;
