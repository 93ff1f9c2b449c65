/**
 * What is announced at least 30 days ahead: an endpoint that goes or changes, and a limit that comes.
 *
 * Endpoints declare theirs (`deprecated`, lib/http/endpoint.ts), limits are declared in
 * lib/domains/deprecations/limits.ts. Both become notices when the program starts, which refuses to start with one that
 * gives less time than was promised.
 */
import { DAY, isCalendarDay } from "#lib/base/time.ts";

/** The promise: nothing breaks, and no limit comes, that was not announced so many milliseconds before. */
export const NOTICE_PERIOD = 30 * DAY;

interface NoticeBase {
  /** The same in every release and on every replica: by it is remembered who was told. */
  readonly id: string;
  /** When it was announced. */
  readonly since: Date;
  /** What to do about it, a sentence or two for those who call. */
  readonly note: string;
}

export interface EndpointNotice extends NoticeBase {
  readonly kind: "endpoint";
  readonly method: string;
  /** As in the reference: `/api/spokes/{spokeId}`. */
  readonly path: string;
  /** The endpoint's pattern among the routes, by which its calls are counted: `/api/spokes/:spokeId`. */
  readonly pattern: string;
  /** From then on it may be gone, or another. */
  readonly sunset: Date;
}

export interface LimitNotice extends NoticeBase {
  readonly kind: "limit";
  /** What is limited, and to how much: "Requests with one token: 600 a minute". */
  readonly title: string;
  /** From then on it holds. */
  readonly from: Date;
}

export type Notice = EndpointNotice | LimitNotice;

/** From when on what it announces is so. */
export function effectiveDateOf(notice: Notice): Date {
  return notice.kind === "endpoint" ? notice.sunset : notice.from;
}

/** A day in UTC, or a moment with its zone: what else a Date takes is another moment on another machine. */
const DATE = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/;

/**
 * The time between announcing and taking effect, both as 2026-12-01 or 2026-12-01T12:00:00Z. Throws when they are none,
 * or leave less than 30 days; `what` says whose they are.
 */
export function parseNoticeDates(
  subject: string,
  since: string,
  effect: string,
): { readonly since: Date; readonly effect: Date } {
  const from = parseDate(subject, since), to = parseDate(subject, effect);
  if (!(to - from >= NOTICE_PERIOD)) {
    throw new Error(`${subject} needs 30 days from its announcement on, but has ${since} to ${effect}`);
  }
  return { since: new Date(from), effect: new Date(to) };
}

function parseDate(what: string, text: string): number {
  const time = DATE.test(text) ? Date.parse(text) : NaN;
  if (Number.isNaN(time) || !isCalendarDay(text.slice(0, 10))) {
    throw new Error(`${what} has a date that is none: ${text}; write it as 2026-12-01 or 2026-12-01T12:00:00Z`);
  }
  return time;
}
