/**
 * Defines the emails. Each email has a template, a recipient and the template's data. Queued emails are stored in the
 * database, so the data contains no secrets. Links that contain a secret are created when the email is sent.
 */

/** The data that each template needs. Timestamps are in ISO 8601 format. */
export interface MailTemplateData {
  /** Invites a new user. `places` lists the names of the hubs and spokes to administer. Links to /invite. */
  readonly invitation: { readonly inviter: string; readonly places: readonly string[]; readonly expiresAt: string };
  /** Lets the user reset a forgotten password. Links to /reset. */
  readonly "password-reset": { readonly expiresAt: string };
  /** Asks the user to confirm an email address. Links to /verify. */
  readonly verification: { readonly expiresAt: string };
  readonly "password-changed": { readonly at: string; readonly ip: string };
  /** Informs operators of a request for a new hub. `by` is the requester's email address. `id` is the request's ID. */
  readonly "hub-requested": { readonly id: string; readonly by: string; readonly hub: string; readonly slug: string };
  /** Informs operators that the restore test for a backup of the spoke failed. `reason` says why. */
  readonly "backup-unverified": {
    readonly spokeId: string;
    readonly spoke: string;
    readonly domain: string;
    readonly backupId: string;
    readonly reason: string;
  };
  /** Informs operators of a request to restore a backup. `by` is the requester's address. `command` restores it. */
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
  /** Announces API changes. Links to /changelog. `more` is the number of notices that the email omits. */
  readonly announcement: { readonly notices: readonly AnnouncedNotice[]; readonly more: number };
}

export interface AnnouncedNotice {
  readonly kind: "endpoint" | "limit";
  /** An endpoint's method and path, or the new limit. */
  readonly what: string;
  readonly from: string;
  readonly note: string;
  /** The recipient's most active tokens. `calls` counts calls to the endpoint, or all calls, in the last 30 days. */
  readonly tokens: readonly { readonly name: string; readonly prefix: string; readonly calls: number }[];
  /** The number of tokens that are not listed, and the total number of their calls. */
  readonly others: { readonly tokens: number; readonly calls: number };
}

export type MailTemplate = keyof MailTemplateData;

export type QueuedMailOf<T extends MailTemplate> = {
  readonly [K in T]: {
    readonly template: K;
    readonly to: { readonly email: string; readonly name: string };
    readonly about: MailTemplateData[K];
  };
}[T];

export type QueuedMail = QueuedMailOf<MailTemplate>;
