/** The limits that are announced and do not hold yet, or have come to hold since the last release. */

export interface AnnouncedLimit {
  /** Never used again for another: by it is remembered who was told. */
  readonly name: string;
  /** What is limited, and to how much: "Requests with one token: 600 a minute". */
  readonly title: string;
  /** ISO dates, at least 30 days apart, or the process does not start. */
  readonly since: string;
  readonly from: string;
  /** What to do about it, for those who call. */
  readonly note: string;
}

export const ANNOUNCED_LIMITS: readonly AnnouncedLimit[] = [];
