/** What is told of a spoke's backups. */
import type { Entries } from "#lib/surface/docs/glossary/entry.ts";

const BACKUP = "bak_06fj2c9w4m8r1y6t3v7q5z2nbe";

export const BACKUPS: Entries = {
  "BackupSummary.available": [
    "Whether the cluster can take backups that outlive the spoke, as it was last seen; lastError says why not",
    true,
  ],
  "BackupSummary.schedule": [
    "When a backup is taken by itself, while the spoke is active: each spoke has a time of its own",
    "every night at 02:41 UTC",
  ],
  "BackupSummary.retention": ["How many are kept: the newest of so many days, weeks and months that have one, by UTC"],
  "retention.daily": ["Days of which the newest is kept", 7],
  "retention.weekly": ["Weeks (ISO) of which the newest is kept", 4],
  "retention.monthly": ["Months of which the newest is kept", 6],
  lastSuccessAt: ["When the newest backup was ready; null if there is none", "2026-11-21T02:42:10.000Z"],
  lastFailureAt: ["When one failed last; null if none ever did", null],
  lastError: ["Why backups are not available, or else why the last failure was one", null],
  "BackupSummary.snapshots": [
    "What there is, newest first: each is both volumes of the spoke, cut one right after the other. A failed attempt stands here for a week at most",
  ],
  "snapshots.id": ["The backup's id, to be named when one is to be restored", BACKUP],
  "snapshots.createdAt": ["When it was begun with", "2026-11-21T02:41:07.000Z"],
  "snapshots.readyAt": ["When it was whole; null until then", "2026-11-21T02:42:10.000Z"],
  "snapshots.sizeBytes": ["Bytes of the volumes restored from it; null where the storage does not say", 16106127360],
  "snapshots.state": ["How far it is", "ready"],
};
