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
const LEFTOVERS = DAY;

export interface Aged {
  readonly id: string;
  readonly kind: "nightly" | "manual" | "upgrade" | "last";
  readonly state: "pending" | "ready" | "failed" | "deleted";
  readonly createdAt: Date;
  /** Since when it is being removed: from then on it is no good one. */
  readonly removingSince: Date | null;
}

/** The ids of the good ones that are kept. One from the future (a clock was set back) is, and counts for no day. */
export function keep(backups: readonly Aged[], now: Date): Set<string> {
  const good = newestFirst(backups.filter(isGood));
  const kept = new Set(good.filter(({ kind, createdAt }) => kind === "last" || createdAt > now).map(({ id }) => id));
  const past = good.filter(({ id }) => !kept.has(id));
  for (const [bucket, most] of BUCKETS) {
    const seen = new Set<string>();
    for (const { id, createdAt } of past) {
      const name = bucket(createdAt);
      if (seen.has(name)) continue;
      if (seen.size === most) break;
      seen.add(name);
      kept.add(id);
    }
  }
  return kept;
}

/** What is to be removed now, oldest first: good ones past their time, leftovers, and whatever was begun with. */
export function expired(backups: readonly Aged[], now: Date): string[] {
  const kept = keep(backups, now);
  const over = backups.filter((backup) => {
    if (backup.kind === "last" || backup.state === "deleted" || backup.state === "pending") return false;
    if (backup.state === "failed") return now.getTime() - backup.createdAt.getTime() > LEFTOVERS;
    return !kept.has(backup.id);
  });
  return newestFirst(over).reverse().map(({ id }) => id);
}

/** Whether this one may go, by the rows as they stand: a good one only where a newer good one stays. */
export function mayGo(backups: readonly Aged[], id: string): boolean {
  const backup = backups.find((each) => each.id === id);
  if (!backup || backup.kind === "last") return false;
  if (backup.state === "failed") return true;
  if (backup.state !== "ready") return false;
  return backups.some((other) => isGood(other) && other.id !== id && other.createdAt > backup.createdAt);
}

export function isGood({ state, removingSince }: Aged): boolean {
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

function newestFirst<T extends Aged>(backups: readonly T[]): T[] {
  return backups.toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : -1));
}
