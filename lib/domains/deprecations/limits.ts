/** Lists limits that were announced and are not in effect yet, or that took effect after the last release. */

export interface AnnouncedLimit {
  /** A name that must never be reused, because the database uses it to record who was notified about this limit. */
  readonly name: string;
  /** The limit in words, including its amount, for example "Requests with one token: 600 a minute". */
  readonly title: string;
  /**
   * The ISO dates on which the limit is announced (`since`) and takes effect (`from`). If they are less than 30 days
   * apart, the process does not start.
   */
  readonly since: string;
  readonly from: string;
  /** The advice about the limit for developers of API clients. */
  readonly note: string;
}

export const ANNOUNCED_LIMITS: readonly AnnouncedLimit[] = [];
