/**
 * Whether a breaking change of an operation was announced as promised: at least 30 days ahead, in a release, and the day
 * has come. What stands in the present surface alone nobody could have read.
 */
import { NOTICE_PERIOD } from "#lib/base/notice.ts";
import { DAY } from "#lib/base/time.ts";
import { byAddress } from "#test/contract/endpoints.ts";
import type { Endpoint, Surface } from "#test/contract/read.ts";

export interface Verdict {
  readonly allowed: boolean;
  /** Why, and from which day on it may be otherwise. A sentence without its full stop. */
  readonly says: string;
}

interface Announced {
  /** Milliseconds since the epoch. */
  readonly since: number;
  readonly sunset: number;
}

const PROMISE = NOTICE_PERIOD / DAY;

/** `was` is the endpoint of the last release, `is` what it is now, null where it is gone; `day` as of `dayOf`. */
export function judge(was: Endpoint, is: Endpoint | null, day: number): Verdict {
  const released = announcedIn(was), present = is && announcedIn(is);
  if (released) return judgeReleased(released, day);
  if (!present) {
    const says = `Not declared: it may land ${PROMISE} days after a release that declares it, not before ${
      iso(day + NOTICE_PERIOD)
    }`;
    return { allowed: false, says };
  }
  const from = Math.max(present.sunset, day + NOTICE_PERIOD);
  const late = from > present.sunset ? `, with a sunset not before ${iso(from)}` : "";
  const says = `Declared, but in no release yet: release the declaration alone${late}; it may land from ${
    iso(from)
  } on`;
  return { allowed: false, says };
}

function judgeReleased({ since, sunset }: Announced, day: number): Verdict {
  if (sunset - since < NOTICE_PERIOD) {
    const days = Math.floor((sunset - since) / DAY), from = iso(since + NOTICE_PERIOD);
    const says =
      `Declared only ${days} days ahead, where ${PROMISE} were promised: release a sunset not before ${from}`;
    return { allowed: false, says };
  }
  const says = `declared since ${new Date(since).toISOString().slice(0, 10)} to be gone on ${iso(sunset)}`;
  if (day >= sunset) return { allowed: true, says: `Allowed: ${says}` };
  const left = Math.ceil((sunset - day) / DAY);
  return {
    allowed: false,
    says: `Too early: ${says}; it may land from that day on, in ${left} day${left === 1 ? "" : "s"}`,
  };
}

/** The endpoints whose callers would learn of a sunset less than 30 days before it, if it were released today. */
export function findHasty(released: Surface, present: Surface, today: string): readonly string[] {
  const before = byAddress(released);
  return [...byAddress(present)].flatMap(([address, is]) => {
    const was = before.get(address), announced = announcedIn(is);
    if (!was || !announced || announced.sunset >= dayOf(today) + NOTICE_PERIOD) return [];
    // Who was told of a day may be given a later one, however near that is.
    const told = announcedIn(was);
    if (told && announced.sunset >= told.sunset) return [];
    const earliest = iso(told ? Math.min(told.sunset, dayOf(today) + NOTICE_PERIOD) : dayOf(today) + NOTICE_PERIOD);
    return [
      `${is.name}: its sunset is ${iso(announced.sunset)}, and has to be ${earliest} or later to be released today`,
    ];
  });
}

function announcedIn({ deprecated }: Endpoint): Announced | null {
  const announced = { since: Date.parse(deprecated?.since ?? ""), sunset: Date.parse(deprecated?.sunset ?? "") };
  return Number.isNaN(announced.since) || Number.isNaN(announced.sunset) ? null : announced;
}

/** An ISO date as milliseconds since the epoch. Throws when it is none. */
export function dayOf(today: string): number {
  const day = Date.parse(today);
  if (Number.isNaN(day)) throw new Error(`${today} is no day; give it as 2026-11-21`);
  return day;
}

/** The day on which it is past that moment, as 2026-11-21. */
function iso(at: number): string {
  return new Date(Math.ceil(at / DAY) * DAY).toISOString().slice(0, 10);
}
