/** What the API shows of a spoke's backups. */
import * as v from "valibot";
import { MaybeStamp, Stamp } from "#lib/base/schema.ts";

const SnapshotView = v.object({
  id: v.string(),
  createdAt: Stamp,
  readyAt: MaybeStamp,
  /** Bytes that the restored volumes would have at least; null where the storage driver does not say. */
  sizeBytes: v.nullable(v.number()),
  state: v.picklist(["pending", "ready", "failed"]),
  /** Of the platform, as the spoke had it then; null where that was not noted. */
  lmsVersion: v.nullable(v.string()),
});

const KeptView = v.object({
  /** Its name in the spoke's namespace. */
  claim: v.string(),
  /** Since when the site uses another. */
  since: Stamp,
  until: Stamp,
});

export const BackupSummaryView = v.object({
  available: v.boolean(),
  schedule: v.string(),
  retention: v.object({ daily: v.number(), weekly: v.number(), monthly: v.number() }),
  lastSuccessAt: MaybeStamp,
  lastFailureAt: MaybeStamp,
  /** Where backups are not available, why; else the last failure's. */
  lastError: v.nullable(v.string()),
  /** Newest first. */
  snapshots: v.array(SnapshotView),
  /** Volume claims that a restore has replaced, newest first: the way back. After their time they go when a backup was taken. */
  kept: v.array(KeptView),
});
export type BackupSummary = v.InferInput<typeof BackupSummaryView>;
