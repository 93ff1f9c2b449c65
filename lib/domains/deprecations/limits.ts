/** Lists announced limits that are not in effect yet or took effect since the last release. */

export interface AnnouncedLimit {
  /** A name that is never reused. The database stores which users were notified about this limit. */
  readonly name: string;
  /** The limit and its amount, for example "Requests with one token: 600 a minute". */
  readonly title: string;
  /** ISO dates, at least 30 days apart. Otherwise the process does not start. */
  readonly since: string;
  readonly from: string;
  /** Instructions for API clients. */
  readonly note: string;
}

export const ANNOUNCED_LIMITS: readonly AnnouncedLimit[] = [];
