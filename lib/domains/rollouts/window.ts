/** Decides whether a rollout may start operations at a given time. Times of day follow daylight saving time. */
import { type RolloutWindow, type Weekday, WEEKDAYS } from "#lib/model/rollout.ts";
import { DAY, MINUTE } from "#lib/base/time.ts";

interface LocalTime {
  readonly day: Weekday;
  /** Minutes since midnight. */
  readonly minute: number;
}

/** Whether the window is open. Its end is not part of it. */
export function isWindowOpen(window: RolloutWindow, at: Date): boolean {
  return isOpenAt(window, readLocalTime(openClock(window), at));
}

/** Returns the next time at which the window is open, within a week and a day, or null. */
export function findNextOpening(window: RolloutWindow, at: Date): Date | null {
  const clock = openClock(window), start = Math.ceil(at.getTime() / MINUTE) * MINUTE;
  for (let time = start; time < start + 8 * DAY; time += MINUTE) {
    if (isOpenAt(window, readLocalTime(clock, new Date(time)))) return new Date(time);
  }
  return null;
}

function isOpenAt({ days, from, to }: RolloutWindow, { day, minute }: LocalTime): boolean {
  const start = parseTimeOfDay(from), end = parseTimeOfDay(to);
  if (start < end) return days.includes(day) && minute >= start && minute < end;
  return days.includes(day) && minute >= start || days.includes(dayBefore(day)) && minute < end;
}

function openClock({ timeZone }: Pick<RolloutWindow, "timeZone">): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat("en-GB", {
    timeZone,
    weekday: "short",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
}

function readLocalTime(clock: Intl.DateTimeFormat, at: Date): LocalTime {
  const parts = Object.fromEntries(clock.formatToParts(at).map(({ type, value }) => [type, value]));
  return {
    day: parts["weekday"]!.toLowerCase() as Weekday,
    minute: Number(parts["hour"]) * 60 + Number(parts["minute"]),
  };
}

function parseTimeOfDay(text: string): number {
  const [hour, minute] = text.split(":").map(Number);
  return hour! * 60 + minute!;
}

function dayBefore(day: Weekday): Weekday {
  return WEEKDAYS[(WEEKDAYS.indexOf(day) + 6) % 7]!;
}
