/**
 * Defines announcements of deprecated endpoints and new limits, which must be published at least 30 days ahead.
 * Endpoints declare their deprecation (`deprecated` in lib/http/endpoint.ts); new limits are in
 * lib/domains/deprecations/limits.ts. The program does not start if an announcement gives less notice.
 */
import { DAY, isCalendarDay } from "#lib/base/time.ts";

/** The minimum notice before an API change takes effect, in milliseconds, as promised to API users. */
export const MIN_NOTICE_PERIOD = 30 * DAY;

interface NoticeBase {
  /** An ID that never changes, because the database stores which users have received the announcement. */
  readonly id: string;
  /** The day on which the change was announced. */
  readonly since: Date;
  /** Instructions for callers, in one or two sentences. */
  readonly note: string;
}

export interface AnnouncedDeprecation extends NoticeBase {
  readonly kind: "endpoint";
  readonly method: string;
  /** The path as shown in the API reference: `/api/spokes/{spokeId}`. */
  readonly path: string;
  /** The route pattern under which calls are counted: `/api/spokes/:spokeId`. */
  readonly pattern: string;
  /** The earliest time when the endpoint may be removed or changed. */
  readonly sunset: Date;
}

export interface AnnouncedLimitChange extends NoticeBase {
  readonly kind: "limit";
  /** A description of the limit, such as "Requests with one token: 600 a minute". */
  readonly title: string;
  /** When the limit takes effect. */
  readonly from: Date;
}

export type AnnouncedChange = AnnouncedDeprecation | AnnouncedLimitChange;

export function getEffectiveDate(notice: AnnouncedChange): Date {
  return notice.kind === "endpoint" ? notice.sunset : notice.from;
}

/** Matches a UTC day, or a time with a time zone. Dates in other formats would depend on the machine's time zone. */
const DATE = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/;

/**
 * Parses the dates of an announcement and its effect: 2026-12-01 or 2026-12-01T12:00:00Z. Throws Error if a date is
 * invalid, or if the dates are less than 30 days apart. `subject` is the start of the error message.
 */
export function parseAnnouncementDates(
  subject: string,
  since: string,
  effect: string,
): { readonly since: Date; readonly effect: Date } {
  const from = parseDate(subject, since), to = parseDate(subject, effect);
  if (!(to - from >= MIN_NOTICE_PERIOD)) {
    throw new Error(
      `${subject} must take effect at least 30 days after its announcement (announced ${since}, effective ${effect})`,
    );
  }
  return { since: new Date(from), effect: new Date(to) };
}

function parseDate(what: string, text: string): number {
  const time = DATE.test(text) ? Date.parse(text) : NaN;
  if (Number.isNaN(time) || !isCalendarDay(text.slice(0, 10))) {
    throw new Error(`${what} has an invalid date, ${text}; write it as 2026-12-01 or 2026-12-01T12:00:00Z`);
  }
  return time;
}
