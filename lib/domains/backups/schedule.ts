/** When a spoke's nightly backup is taken: at a time of its own, so that a night's backups do not all come at once. Pure. */
import { DAY, HOUR, MINUTE, SECOND } from "#lib/base/time.ts";

/** By UTC, milliseconds after midnight. */
const WINDOW_START = 22 * HOUR;
const WINDOW_LENGTH = 6 * HOUR;
/** From a spoke's backup to its drill. */
const TEST_DELAY = 3 * HOUR;

/** How often a backup of each spoke is restored, to prove it. */
export type RestoreTestInterval = "weekly" | "nightly";
const INTERVAL_DAYS: Readonly<Record<RestoreTestInterval, number>> = { weekly: 7, nightly: 1 };

/** The first time after this moment. It is at most a day away. */
export function nextBackup(spokeId: string, after: Date): Date {
  const first = WINDOW_START + offsetOf(spokeId);
  const days = Math.floor((after.getTime() - first) / DAY) + 1;
  return new Date(days * DAY + first);
}

/** The same for drills, some hours behind the backup; where they are weekly, on a day of its own. */
export function nextRestoreTest(spokeId: string, interval: RestoreTestInterval, after: Date): Date {
  const offset = offsetOf(spokeId), every = INTERVAL_DAYS[interval] * DAY;
  const first = WINDOW_START + offset + TEST_DELAY + (offset / SECOND % INTERVAL_DAYS[interval]) * DAY;
  return new Date((Math.floor((after.getTime() - first) / every) + 1) * every + first);
}

/** For people: `every night at 02:41 UTC`. */
export function describeSchedule(spokeId: string): string {
  const minutes = Math.floor(((WINDOW_START + offsetOf(spokeId)) % DAY) / MINUTE);
  const two = (number: number) => String(number).padStart(2, "0");
  return `every night at ${two(Math.floor(minutes / 60))}:${two(minutes % 60)} UTC`;
}

/**
 * Milliseconds from the night's beginning, in whole seconds: FNV-1a of the id, which spreads ids that are neighbours,
 * too.
 */
function offsetOf(spokeId: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(spokeId)) hash = Math.imul(hash ^ byte, 0x01000193);
  return ((hash >>> 0) % (WINDOW_LENGTH / SECOND)) * SECOND;
}
