/** When a spoke's nightly backup is taken: at a time of its own, so that a night's backups do not all come at once. Pure. */
import { DAY, HOUR, MINUTE, SECOND } from "#lib/base/time.ts";

/** By UTC, milliseconds after midnight. */
const BEGINS = 22 * HOUR;
const LASTS = 6 * HOUR;
/** From a spoke's backup to its drill. */
const LATER = 3 * HOUR;

/** How often a backup of each spoke is restored, to prove it. */
export type DrillPace = "weekly" | "nightly";
const DAYS: Readonly<Record<DrillPace, number>> = { weekly: 7, nightly: 1 };

/** The first time after this moment. It is at most a day away. */
export function nextBackup(spokeId: string, after: Date): Date {
  const first = BEGINS + offsetOf(spokeId);
  const days = Math.floor((after.getTime() - first) / DAY) + 1;
  return new Date(days * DAY + first);
}

/** The same for drills, some hours behind the backup; where they are weekly, on a day of its own. */
export function nextDrill(spokeId: string, pace: DrillPace, after: Date): Date {
  const offset = offsetOf(spokeId), every = DAYS[pace] * DAY;
  const first = BEGINS + offset + LATER + (offset / SECOND % DAYS[pace]) * DAY;
  return new Date((Math.floor((after.getTime() - first) / every) + 1) * every + first);
}

/** For people: `every night at 02:41 UTC`. */
export function describeSchedule(spokeId: string): string {
  const minutes = Math.floor(((BEGINS + offsetOf(spokeId)) % DAY) / MINUTE);
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
  return ((hash >>> 0) % (LASTS / SECOND)) * SECOND;
}
