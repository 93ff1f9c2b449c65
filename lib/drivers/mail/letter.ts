/**
 * What can be mailed: a template's name, whom it goes to, and what it says of the case. It is data, for it lies in the
 * queue until it is sent; it holds no secret, and the link of a letter that has one is made when it goes out.
 */

/** What each template is told. Timestamps are ISO 8601. */
export interface TemplateData {
  /** To somebody new. `places` are the display names of what they will administer; its link leads to /invite. */
  readonly invitation: { readonly inviter: string; readonly places: readonly string[]; readonly expiresAt: string };
  /** Its link leads to /reset. */
  readonly "password-reset": { readonly expiresAt: string };
  /** Its link leads to /verify. */
  readonly verification: { readonly expiresAt: string };
  /** Somebody set a new password: the owner of the address should hear of it. */
  readonly "password-changed": { readonly at: string; readonly ip: string };
  /** To operators. `by` is the address of who asks, `id` the request's. */
  readonly "hub-requested": { readonly id: string; readonly by: string; readonly hub: string; readonly slug: string };
  /** To operators. A backup of the spoke could not be restored, for this reason. */
  readonly "backup-unproved": {
    readonly spokeId: string;
    readonly spoke: string;
    readonly domain: string;
    readonly backupId: string;
    readonly reason: string;
  };
  /** To operators. `by` is the address of the requester, `command` what restores. */
  readonly "restore-requested": {
    readonly by: string;
    readonly spoke: string;
    readonly domain: string;
    readonly backupId: string;
    readonly reason: string;
    readonly command: string;
  };
  readonly "request-approved": { readonly hub: string; readonly slug: string };
  readonly "request-rejected": { readonly hub: string; readonly reason: string };
  /** What ends, changes or comes; its link leads to /changelog. `more` are further notices, which it does not show. */
  readonly announcement: { readonly notices: readonly AnnouncedNotice[]; readonly more: number };
}

/** One notice, as it concerns one reader. */
export interface AnnouncedNotice {
  readonly kind: "endpoint" | "limit";
  /** The method and path, or what is limited to how much. */
  readonly what: string;
  /** From when on it is so. */
  readonly from: string;
  /** What to do about it. */
  readonly note: string;
  /** The reader's own tokens, the busiest first, and how often each called in the last 30 days: the endpoint, or at all. */
  readonly tokens: readonly { readonly name: string; readonly prefix: string; readonly calls: number }[];
  /** Further tokens, which are not listed, and their calls together. */
  readonly others: { readonly tokens: number; readonly calls: number };
}

export type Template = keyof TemplateData;

export type LetterOf<T extends Template> = {
  readonly [K in T]: {
    readonly template: K;
    readonly to: { readonly email: string; readonly name: string };
    readonly about: TemplateData[K];
  };
}[T];

export type Letter = LetterOf<Template>;
