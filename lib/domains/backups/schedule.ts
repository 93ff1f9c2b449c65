/**
 * Schedules nightly backups and restore tests. Each spoke has its own time, so that the load is spread over the night.
 * Pure.
 */
import { DAY, HOUR, MINUTE, SECOND } from "#lib/base/time.ts";

/** Milliseconds after midnight (UTC) at which backups start. */
const WINDOW_START = 22 * HOUR;
const WINDOW_LENGTH = 6 * HOUR;
/** Time from a spoke's backup to its restore test. */
const TEST_DELAY = 3 * HOUR;

/** The interval between restore tests of a spoke. */
export type RestoreTestInterval = "weekly" | "nightly";
const INTERVAL_DAYS: Readonly<Record<RestoreTestInterval, number>> = { weekly: 7, nightly: 1 };

/** Returns the time of the next backup after a moment, at most a day later. */
export function nextBackup(spokeId: string, after: Date): Date {
  const first = WINDOW_START + offsetOf(spokeId);
  const days = Math.floor((after.getTime() - first) / DAY) + 1;
  return new Date(days * DAY + first);
}

/** Returns the time of the next restore test after a moment. Weekly tests are spread over the days of the week. */
export function nextRestoreTest(spokeId: string, interval: RestoreTestInterval, after: Date): Date {
  const offset = offsetOf(spokeId), every = INTERVAL_DAYS[interval] * DAY;
  const first = WINDOW_START + offset + TEST_DELAY + (offset / SECOND % INTERVAL_DAYS[interval]) * DAY;
  return new Date((Math.floor((after.getTime() - first) / every) + 1) * every + first);
}

/** Returns the schedule as text: `every night at 02:41 UTC`. */
export function describeSchedule(spokeId: string): string {
  const minutes = Math.floor(((WINDOW_START + offsetOf(spokeId)) % DAY) / MINUTE);
  const two = (number: number) => String(number).padStart(2, "0");
  return `every night at ${two(Math.floor(minutes / 60))}:${two(minutes % 60)} UTC`;
}

/** Returns milliseconds after the start of the backup window, in whole seconds. FNV-1a also spreads similar IDs. */
function offsetOf(spokeId: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(spokeId)) hash = Math.imul(hash ^ byte, 0x01000193);
  return ((hash >>> 0) % (WINDOW_LENGTH / SECOND)) * SECOND;
}
