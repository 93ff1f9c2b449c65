/** Lists limits that were announced and are not in effect yet, or that took effect after the last release. */

export interface AnnouncedLimit {
  /** A name that must never be reused, because the database uses it to record who was told about this limit. */
  readonly name: string;
  /** The limit in words, including its amount, for example "Requests with one token: 600 a minute". */
  readonly title: string;
  /** ISO dates of the announcement (`since`) and of taking effect (`from`), which must be at least 30 days apart. */
  readonly since: string;
  readonly from: string;
  /** What developers of API clients should do about the limit. */
  readonly note: string;
}

export const ANNOUNCED_LIMITS: readonly AnnouncedLimit[] = [];
