/**
 * Defines the mails: a template, a recipient and the template's data. Queued mails are stored, so their data contains
 * no secrets. Links with a secret are created when the mail is sent.
 */

/** The data of each template. Timestamps are ISO 8601. */
export interface MailTemplateData {
  /** For a new user. `places` are the display names of the hubs and spokes to administer. Links to /invite. */
  readonly invitation: { readonly inviter: string; readonly places: readonly string[]; readonly expiresAt: string };
  /** Links to /reset. */
  readonly "password-reset": { readonly expiresAt: string };
  /** Links to /verify. */
  readonly verification: { readonly expiresAt: string };
  readonly "password-changed": { readonly at: string; readonly ip: string };
  /** For operators. `by` is the requester's address, `id` the ID of the hub request. */
  readonly "hub-requested": { readonly id: string; readonly by: string; readonly hub: string; readonly slug: string };
  /** For operators: a restore test of the spoke's backup failed for this reason. */
  readonly "backup-unverified": {
    readonly spokeId: string;
    readonly spoke: string;
    readonly domain: string;
    readonly backupId: string;
    readonly reason: string;
  };
  /** For operators. `by` is the requester's address, `command` the command that restores. */
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
  /** Announces API changes. Links to /changelog. `more` is the number of notices that are not included. */
  readonly announcement: { readonly notices: readonly AnnouncedNotice[]; readonly more: number };
}

export interface AnnouncedNotice {
  readonly kind: "endpoint" | "limit";
  /** The method and path of an endpoint, or the new limit. */
  readonly what: string;
  readonly from: string;
  readonly note: string;
  /** The recipient's most active tokens, with their calls in the last 30 days: to the endpoint, or in total. */
  readonly tokens: readonly { readonly name: string; readonly prefix: string; readonly calls: number }[];
  /** The number of tokens that are not listed, and their calls in total. */
  readonly others: { readonly tokens: number; readonly calls: number };
}

export type MailTemplate = keyof MailTemplateData;

export type LetterOf<T extends MailTemplate> = {
  readonly [K in T]: {
    readonly template: K;
    readonly to: { readonly email: string; readonly name: string };
    readonly about: MailTemplateData[K];
  };
}[T];

export type Letter = LetterOf<MailTemplate>;
