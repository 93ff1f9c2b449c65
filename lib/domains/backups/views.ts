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
});
export type BackupSummary = v.InferInput<typeof BackupSummaryView>;
