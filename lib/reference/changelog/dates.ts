/** Formats dates for the changelog, in UTC. */
import { DAY } from "#lib/base/time.ts";

/** Formats a date, such as 21 December 2026. */
export function formatDay(at: Date): string {
  return at.toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" });
}

/** Formats a date, followed by the time unless it is midnight: 21 December 2026, 18:00 UTC. */
export function formatDateTime(at: Date): string {
  const time = at.toISOString().slice(11, 16);
  return time === "00:00" ? formatDay(at) : `${formatDay(at)}, ${time} UTC`;
}

/** Returns how far away the date is, such as "tomorrow" or "in 23 days". */
export function formatDaysUntil(at: Date, now: Date): string {
  const days = Math.floor(at.getTime() / DAY) - Math.floor(now.getTime() / DAY);
  return days <= 0 ? "today" : days === 1 ? "tomorrow" : `in ${days} days`;
}
