/**
 * Decides which backups to keep: the newest usable backup from each of the last days, ISO weeks and months (UTC), which
 * are 7, 4 and 6 unless the tier of the spoke's hub sets another retention.
 * Periods without a usable backup are not counted, so the newest usable backup never expires.
 */
import { DAY } from "#lib/base/time.ts";
import type { BackupKind, BackupRetention, BackupState } from "#lib/model/backup.ts";

/** How long a failed backup's snapshots are kept for inspection, in milliseconds. */
const FAILED_BACKUP_AGE = DAY;

export interface RetentionCandidate {
  readonly id: string;
  readonly kind: BackupKind;
  readonly state: BackupState;
  readonly createdAt: Date;
  /** The time when removal of the backup started; from then on, the backup is unusable. Null before removal. */
  readonly deletingSince: Date | null;
}

/** Returns the IDs of the usable backups to keep. Includes backups dated in the future because of a clock change. */
export function selectRetainedBackups(
  backups: readonly RetentionCandidate[],
  now: Date,
  retention: BackupRetention,
): Set<string> {
  const good = newestFirst(backups.filter(isUsableBackup));
  const retainedIds = new Set(
    good.filter(({ kind, createdAt }) => kind === "last" || createdAt > now).map(({ id }) => id),
  );
  const past = good.filter(({ id }) => !retainedIds.has(id));
  for (const [bucket, period] of BUCKETS) {
    const limit = retention[period];
    const usedBuckets = new Set<string>();
    for (const { id, createdAt } of past) {
      const name = bucket(createdAt);
      if (usedBuckets.has(name)) continue;
      if (usedBuckets.size === limit) break;
      usedBuckets.add(name);
      retainedIds.add(id);
    }
  }
  return retainedIds;
}

/**
 * Returns the IDs of the backups to remove now, oldest first: expired backups, old failed backups, and backups whose
 * removal has already started.
 */
export function selectExpiredBackups(
  backups: readonly RetentionCandidate[],
  now: Date,
  retention: BackupRetention,
): string[] {
  const retainedIds = selectRetainedBackups(backups, now, retention);
  const due = backups.filter((backup) => {
    if (backup.kind === "last" || backup.state === "deleted" || backup.state === "pending") return false;
    if (backup.state === "failed") return now.getTime() - backup.createdAt.getTime() > FAILED_BACKUP_AGE;
    return !retainedIds.has(backup.id);
  });
  return newestFirst(due).reverse().map(({ id }) => id);
}

/** Returns whether a backup can be deleted. A usable backup can be deleted only if a newer usable backup remains. */
export function canDeleteBackup(backups: readonly RetentionCandidate[], id: string): boolean {
  const backup = backups.find((each) => each.id === id);
  if (!backup || backup.kind === "last") return false;
  if (backup.state === "failed") return true;
  if (backup.state !== "ready") return false;
  return backups.some((other) => isUsableBackup(other) && other.id !== id && other.createdAt > backup.createdAt);
}

export function isUsableBackup({ state, deletingSince }: RetentionCandidate): boolean {
  return state === "ready" && deletingSince === null;
}

const BUCKETS: readonly (readonly [bucket: (at: Date) => string, period: keyof BackupRetention])[] = [
  [(at) => at.toISOString().slice(0, 10), "daily"],
  [weekOf, "weekly"],
  [(at) => at.toISOString().slice(0, 7), "monthly"],
];

/** Returns the date of the Monday in this date's ISO week. */
function weekOf(at: Date): string {
  const sinceMonday = (at.getUTCDay() + 6) % 7;
  return new Date(at.getTime() - sinceMonday * DAY).toISOString().slice(0, 10);
}

function newestFirst<T extends RetentionCandidate>(backups: readonly T[]): T[] {
  return backups.toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : -1));
}
