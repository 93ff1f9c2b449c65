/**
 * Which backups are kept, and which have had their time. Pure.
 *
 * The newest good one of each of the last 7 days that have one is kept, and so of 4 weeks (ISO) and 6 months, by UTC. Days
 * without a backup do not count, so that a spoke that slept for a year still has what it had; and the newest good one of all
 * is that of its day, so the last one never goes. What was taken as a spoke went is kept for ever.
 */
import { DAY } from "#lib/base/time.ts";

export const RETENTION = { daily: 7, weekly: 4, monthly: 6 } as const;

/** How long what a failed attempt left behind is there to be looked at, in milliseconds. */
const FAILED_BACKUP_AGE = DAY;

export interface DatedBackup {
  readonly id: string;
  readonly kind: "nightly" | "manual" | "upgrade" | "last";
  readonly state: "pending" | "ready" | "failed" | "deleted";
  readonly createdAt: Date;
  /** Since when it is being removed: from then on it is no good one. */
  readonly removingSince: Date | null;
}

/** The ids of the good ones that are kept. One from the future (a clock was set back) is, and counts for no day. */
export function selectRetained(backups: readonly DatedBackup[], now: Date): Set<string> {
  const good = newestFirst(backups.filter(isGood));
  const retainedIds = new Set(
    good.filter(({ kind, createdAt }) => kind === "last" || createdAt > now).map(({ id }) => id),
  );
  const past = good.filter(({ id }) => !retainedIds.has(id));
  for (const [bucket, limit] of BUCKETS) {
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

/** What is to be removed now, oldest first: good ones past their time, leftovers, and whatever was begun with. */
export function selectExpired(backups: readonly DatedBackup[], now: Date): string[] {
  const retainedIds = selectRetained(backups, now);
  const due = backups.filter((backup) => {
    if (backup.kind === "last" || backup.state === "deleted" || backup.state === "pending") return false;
    if (backup.state === "failed") return now.getTime() - backup.createdAt.getTime() > FAILED_BACKUP_AGE;
    return !retainedIds.has(backup.id);
  });
  return newestFirst(due).reverse().map(({ id }) => id);
}

/** Whether this one may go, by the rows as they stand: a good one only where a newer good one stays. */
export function mayDelete(backups: readonly DatedBackup[], id: string): boolean {
  const backup = backups.find((each) => each.id === id);
  if (!backup || backup.kind === "last") return false;
  if (backup.state === "failed") return true;
  if (backup.state !== "ready") return false;
  return backups.some((other) => isGood(other) && other.id !== id && other.createdAt > backup.createdAt);
}

export function isGood({ state, removingSince }: DatedBackup): boolean {
  return state === "ready" && removingSince === null;
}

const BUCKETS: readonly (readonly [bucket: (at: Date) => string, most: number])[] = [
  [(at) => at.toISOString().slice(0, 10), RETENTION.daily],
  [weekOf, RETENTION.weekly],
  [(at) => at.toISOString().slice(0, 7), RETENTION.monthly],
];

/** The Monday on which its ISO week begins. */
function weekOf(at: Date): string {
  const sinceMonday = (at.getUTCDay() + 6) % 7;
  return new Date(at.getTime() - sinceMonday * DAY).toISOString().slice(0, 10);
}

function newestFirst<T extends DatedBackup>(backups: readonly T[]): T[] {
  return backups.toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : -1));
}
