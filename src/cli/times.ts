/** Formats times for people to read, and parses durations that users type. */
import { DAY, HOUR, MINUTE, SECOND } from "#lib/base/time.ts";
import { UsageError } from "./exit-status.ts";

const UNITS = [[365 * DAY, "year"], [30 * DAY, "month"], [DAY, "day"], [HOUR, "hour"], [MINUTE, "minute"]] as const;

/** Formats a time relative to now, for example `3 minutes ago` or `in 6 days`. */
export function formatRelativeTime(iso: string, now = Date.now()): string {
  const ms = now - Date.parse(iso);
  if (Number.isNaN(ms)) return iso;
  const [span, name] = UNITS.find(([span]) => Math.abs(ms) >= span) ?? [MINUTE, ""];
  if (!name) return ms >= 0 ? "just now" : "in a moment";
  const count = Math.floor(Math.abs(ms) / span), text = `${count} ${name}${count === 1 ? "" : "s"}`;
  return ms >= 0 ? `${text} ago` : `in ${text}`;
}

/** Returns the local clock time for a time today, or else the date. The result is 10 characters wide. */
export function formatTimeOrDate(iso: string, now = new Date()): string {
  const at = new Date(iso), two = (number: number) => String(number).padStart(2, "0");
  const day = (of: Date) => `${of.getFullYear()}-${two(of.getMonth() + 1)}-${two(of.getDate())}`;
  const time = [at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(":");
  return day(at) === day(now) ? time.padEnd(10) : day(at);
}

/** Formats a duration given in milliseconds, for example `42 s`, `3:07` or `1:02:03`. */
export function formatClockDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / SECOND)), minutes = Math.floor(seconds / 60);
  const two = (number: number) => String(number).padStart(2, "0");
  if (minutes === 0) return `${seconds} s`;
  return minutes < 60
    ? `${minutes}:${two(seconds % 60)}`
    : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(seconds % 60)}`;
}

/**
 * Converts a duration such as `90s`, `10m`, `2h` or `7d` to milliseconds. A number without a unit means seconds. Throws
 * a CommandError for any other text.
 */
export function parseDuration(name: string, text: string): number {
  const [, number, unit = "s"] = /^(\d+)(s|m|h|d)?$/.exec(text) ?? [];
  const ms = Number(number) * { s: SECOND, m: MINUTE, h: HOUR, d: DAY }[unit as "s" | "m" | "h" | "d"];
  if (ms > 0 && ms <= 24 * DAY) return ms; // setTimeout accepts at most 24.8 days
  throw new UsageError(`${name} must be a duration such as 90s, 10m or 2h`);
}
