/**
 * Schedules nightly backups and restore tests. Each spoke has a fixed time, derived from the spoke's ID, so that the
 * load is spread over the night.
 */
import type { BackupWindow } from "#lib/model/backup.ts";
import { DAY, HOUR, MINUTE, SECOND } from "#lib/base/time.ts";

/** The time in which nightly backups start, unless the tier of the spoke's hub sets another. */
const DEFAULT_WINDOW: BackupWindow = { start: 22 * HOUR, end: 28 * HOUR };
/** The time between a spoke's backup and its restore test, in milliseconds. */
const TEST_DELAY = 3 * HOUR;

/** The interval at which each spoke's newest backup is tested. */
export type RestoreTestInterval = "weekly" | "nightly";
const INTERVAL_DAYS: Readonly<Record<RestoreTestInterval, number>> = { weekly: 7, nightly: 1 };

/** Returns the start time of the spoke's next backup, at most one day after the given time. */
export function computeNextBackupTime(spokeId: string, after: Date, window: BackupWindow | null): Date {
  const first = startOf(spokeId, window);
  const days = Math.floor((after.getTime() - first) / DAY) + 1;
  return new Date(days * DAY + first);
}

/**
 * Returns the start time of the spoke's next restore test after the given time. Spreads weekly tests over the week, and
 * all tests over the default time of backups.
 */
export function computeNextRestoreTestTime(spokeId: string, interval: RestoreTestInterval, after: Date): Date {
  const offset = offsetOf(spokeId, DEFAULT_WINDOW), every = INTERVAL_DAYS[interval] * DAY;
  const first = DEFAULT_WINDOW.start + offset + TEST_DELAY + (offset / SECOND % INTERVAL_DAYS[interval]) * DAY;
  return new Date((Math.floor((after.getTime() - first) / every) + 1) * every + first);
}

/** Describes the spoke's backup schedule, for example `every night at 02:41 UTC`. */
export function describeBackupSchedule(spokeId: string, window: BackupWindow | null): string {
  const minutes = Math.floor((startOf(spokeId, window) % DAY) / MINUTE);
  const two = (number: number) => String(number).padStart(2, "0");
  return `every night at ${two(Math.floor(minutes / 60))}:${two(minutes % 60)} UTC`;
}

/** Returns the start of the spoke's backup, in milliseconds after midnight (UTC). */
function startOf(spokeId: string, window: BackupWindow | null): number {
  const own = window ?? DEFAULT_WINDOW;
  return own.start + offsetOf(spokeId, own);
}

/** Returns the milliseconds between the start of the backup window and the spoke's backup, derived from the ID. */
function offsetOf(spokeId: string, { start, end }: BackupWindow): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(spokeId)) hash = Math.imul(hash ^ byte, 0x01000193);
  return ((hash >>> 0) % ((end - start) / SECOND)) * SECOND;
}
