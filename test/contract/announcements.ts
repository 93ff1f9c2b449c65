/** Decides whether a breaking change was announced as promised: in a release, at least 30 days ahead, and the sunset
 * has passed. An announcement in the current surface alone does not count, because nobody could have read it. */
import { MIN_NOTICE_PERIOD } from "#lib/base/notice.ts";
import { DAY } from "#lib/base/time.ts";
import { groupByAddress } from "#test/contract/endpoints.ts";
import type { Surface, SurfaceEndpoint } from "#test/contract/parse-surface.ts";

export interface AnnouncementCheck {
  readonly allowed: boolean;
  /** The reason, and the first day on which the change may be released. A sentence without its full stop. */
  readonly reason: string;
}

interface Announcement {
  /** Milliseconds since the epoch. */
  readonly since: number;
  readonly sunset: number;
}

const PROMISE = MIN_NOTICE_PERIOD / DAY;

/** `was` is the endpoint of the last release, `is` the current one, or null if it was removed. `day` is a result of
 * `dayOf`. */
export function checkAnnouncement(was: SurfaceEndpoint, is: SurfaceEndpoint | null, day: number): AnnouncementCheck {
  const released = announcementOf(was), present = is && announcementOf(is);
  if (released) return checkReleased(released, day);
  if (!present) {
    const message =
      `Not announced. The change may be released ${PROMISE} days after a release that announces it, not before ${
        iso(day + MIN_NOTICE_PERIOD)
      }`;
    return { allowed: false, reason: message };
  }
  const from = Math.max(present.sunset, day + MIN_NOTICE_PERIOD);
  const late = from > present.sunset ? `, with a sunset not before ${iso(from)}` : "";
  const message =
    `Announced, but not in a release yet. Release the announcement alone${late}. The change may be released on ${
      iso(from)
    } or later`;
  return { allowed: false, reason: message };
}

function checkReleased({ since, sunset }: Announcement, day: number): AnnouncementCheck {
  if (sunset - since < MIN_NOTICE_PERIOD) {
    const days = Math.floor((sunset - since) / DAY), from = iso(since + MIN_NOTICE_PERIOD);
    const message = `Announced only ${days} days ahead instead of ${PROMISE}. Release a sunset not before ${from}`;
    return { allowed: false, reason: message };
  }
  const message = `announced on ${new Date(since).toISOString().slice(0, 10)} with the sunset ${iso(sunset)}`;
  if (day >= sunset) return { allowed: true, reason: `Allowed: ${message}` };
  const left = Math.ceil((sunset - day) / DAY);
  return {
    allowed: false,
    reason: `Too early: ${message}; the change may be released in ${left} day${left === 1 ? "" : "s"}`,
  };
}

/** Finds endpoints whose sunset would be announced less than 30 days ahead if they were released today. */
export function findShortAnnouncements(released: Surface, present: Surface, today: string): readonly string[] {
  const before = groupByAddress(released);
  return [...groupByAddress(present)].flatMap(([address, is]) => {
    const was = before.get(address), announced = announcementOf(is);
    if (!was || !announced || announced.sunset >= parseDay(today) + MIN_NOTICE_PERIOD) return [];
    // An announced sunset may be postponed, however near the new one is.
    const earlier = announcementOf(was);
    if (earlier && announced.sunset >= earlier.sunset) return [];
    const earliest = iso(
      earlier ? Math.min(earlier.sunset, parseDay(today) + MIN_NOTICE_PERIOD) : parseDay(today) + MIN_NOTICE_PERIOD,
    );
    return [
      `${is.name}: its sunset is ${iso(announced.sunset)}, but must be ${earliest} or later to be released today`,
    ];
  });
}

function announcementOf({ deprecated }: SurfaceEndpoint): Announcement | null {
  const announced = { since: Date.parse(deprecated?.since ?? ""), sunset: Date.parse(deprecated?.sunset ?? "") };
  return Number.isNaN(announced.since) || Number.isNaN(announced.sunset) ? null : announced;
}

/** Parses an ISO date to milliseconds since the epoch. Throws if it is invalid. */
export function parseDay(today: string): number {
  const day = Date.parse(today);
  if (Number.isNaN(day)) throw new Error(`${today} is no day; give it as 2026-11-21`);
  return day;
}

/** Returns the first day that begins at or after this moment, as 2026-11-21. */
function iso(at: number): string {
  return new Date(Math.ceil(at / DAY) * DAY).toISOString().slice(0, 10);
}
