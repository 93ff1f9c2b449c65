/** Lists announced limits of the API that are not in effect yet, or that took effect after the last release. */

export interface AnnouncedLimit {
  /** The limit's name, under which the database records which users were notified. Never reuse a name. */
  readonly name: string;
  /** The limit in words, with the amount, for example "Requests with one token: 600 per minute". */
  readonly title: string;
  /**
   * The ISO dates on which the limit is announced (`since`) and takes effect (`from`). The server does not start unless
   * these dates are at least 30 days apart.
   */
  readonly since: string;
  readonly from: string;
  /** Advice for developers of API clients: how to stay within the limit. */
  readonly note: string;
}

export const ANNOUNCED_LIMITS: readonly AnnouncedLimit[] = [];
