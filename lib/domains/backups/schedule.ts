/**
 * Schedules nightly backups and restore tests. Each spoke has a fixed time, derived from the spoke's ID, so that the
 * load is spread over the night.
 */
import { DAY, HOUR, MINUTE, SECOND } from "#lib/base/time.ts";

/** The start of the nightly backup window, in milliseconds after midnight (UTC). */
const WINDOW_START = 22 * HOUR;
const WINDOW_LENGTH = 6 * HOUR;
/** The time between a spoke's backup and its restore test, in milliseconds. */
const TEST_DELAY = 3 * HOUR;

/** The interval at which each spoke's newest backup is tested. */
export type RestoreTestInterval = "weekly" | "nightly";
const INTERVAL_DAYS: Readonly<Record<RestoreTestInterval, number>> = { weekly: 7, nightly: 1 };

/** Returns the start time of the spoke's next backup, at most one day after the given time. */
export function computeNextBackupTime(spokeId: string, after: Date): Date {
  const first = WINDOW_START + offsetOf(spokeId);
  const days = Math.floor((after.getTime() - first) / DAY) + 1;
  return new Date(days * DAY + first);
}

/** Returns the start time of the spoke's next restore test after the given time. Spreads weekly tests over the week. */
export function computeNextRestoreTestTime(spokeId: string, interval: RestoreTestInterval, after: Date): Date {
  const offset = offsetOf(spokeId), every = INTERVAL_DAYS[interval] * DAY;
  const first = WINDOW_START + offset + TEST_DELAY + (offset / SECOND % INTERVAL_DAYS[interval]) * DAY;
  return new Date((Math.floor((after.getTime() - first) / every) + 1) * every + first);
}

/** Describes the spoke's backup schedule, for example `every night at 02:41 UTC`. */
export function describeBackupSchedule(spokeId: string): string {
  const minutes = Math.floor(((WINDOW_START + offsetOf(spokeId)) % DAY) / MINUTE);
  const two = (number: number) => String(number).padStart(2, "0");
  return `every night at ${two(Math.floor(minutes / 60))}:${two(minutes % 60)} UTC`;
}

/** Returns the milliseconds between the start of the backup window and the spoke's backup, derived from the ID. */
function offsetOf(spokeId: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(spokeId)) hash = Math.imul(hash ^ byte, 0x01000193);
  return ((hash >>> 0) % (WINDOW_LENGTH / SECOND)) * SECOND;
}
