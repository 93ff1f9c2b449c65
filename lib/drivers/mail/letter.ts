/**
 * Defines the emails. Each email has a template, a recipient and the template's data. Queued emails are stored in the
 * database, so the data contains no secrets. Links that contain a secret are created when the email is sent.
 */
import * as v from "valibot";

const Text = v.string(), Count = v.number();

const AnnouncedNotice = v.object({
  kind: v.picklist(["endpoint", "limit"]),
  /** An endpoint's method and path, or the new limit. */
  what: Text,
  from: Text,
  note: Text,
  /** The recipient's most active tokens. `calls` counts calls to the endpoint, or all calls, in the last 30 days. */
  tokens: v.array(v.object({ name: Text, prefix: Text, calls: Count })),
  /** The number of tokens that are not listed, and the total number of their calls. */
  others: v.object({ tokens: Count, calls: Count }),
});
export type AnnouncedNotice = v.InferOutput<typeof AnnouncedNotice>;

const ExpiringToken = v.object({
  ...{ name: Text, prefix: Text, expiresAt: Text, lastUsedAt: v.nullable(Text), ip: Text, userAgent: Text },
});
export type ExpiringToken = v.InferOutput<typeof ExpiringToken>;

/** The data that each template needs. Timestamps are in ISO 8601 format. */
const MAIL_TEMPLATES = {
  /** Invites a new user. `places` lists the names of the hubs and spokes to administer. Links to /invite. */
  invitation: v.object({ inviter: Text, places: v.array(Text), expiresAt: Text }),
  /** Lets the user reset a forgotten password. Links to /reset. */
  "password-reset": v.object({ expiresAt: Text }),
  /** Asks the user to confirm an email address. Links to /verify. */
  verification: v.object({ expiresAt: Text }),
  "password-changed": v.object({ at: Text, ip: Text }),
  /** Informs a user of a change of the second factors. `name` is the factor's name, or empty. */
  "second-factor-changed": v.object({
    change: v.picklist([
      "factor_added",
      "factor_removed",
      "factors_reset",
      "recovery_codes_renewed",
      "recovery_code_used",
    ]),
    name: Text,
    at: Text,
    ip: Text,
  }),
  /** Informs operators of a request for a new hub. `by` is the requester's email address. `id` is the request's ID. */
  "hub-requested": v.object({ id: Text, by: Text, hub: Text, slug: Text }),
  /** Informs operators that the restore test for a backup of the spoke failed. `reason` says why. */
  "backup-unverified": v.object({ spokeId: Text, spoke: Text, domain: Text, backupId: Text, reason: Text }),
  /** Informs operators of a request to restore a backup. `by` is the requester's address. `command` restores it. */
  "restore-requested": v.object({ by: Text, spoke: Text, domain: Text, backupId: Text, reason: Text, command: Text }),
  /** Tells the user who requested a rollout that it paused itself. `done` and `failed` are parts of `changed`. */
  "rollout-paused": v.object({ id: Text, action: Text, reason: Text, done: Count, failed: Count, changed: Count }),
  "rollout-completed": v.object({ id: Text, action: Text, done: Count, failed: Count, changed: Count }),
  /** Tells the admins of a hub, or operators if `hub` is empty, that a webhook was disabled. `host` is its receiver. */
  "webhook-disabled": v.object({ id: Text, host: Text, hub: Text, reason: Text }),
  "request-approved": v.object({ hub: Text, slug: Text }),
  "request-rejected": v.object({ hub: Text, reason: Text }),
  /** Warns that API tokens expire soon. An empty `ip` or `userAgent` is unknown. `more` tokens are not listed. */
  "tokens-expiring": v.object({ tokens: v.array(ExpiringToken), more: Count }),
  /** Announces API changes. Links to /changelog. `more` is the number of notices that the email omits. */
  announcement: v.object({ notices: v.array(AnnouncedNotice), more: Count }),
};

export type MailTemplate = keyof typeof MAIL_TEMPLATES;
export type MailTemplateData = { readonly [T in MailTemplate]: v.InferOutput<(typeof MAIL_TEMPLATES)[T]> };

export type QueuedMailOf<T extends MailTemplate> = {
  readonly [K in T]: {
    readonly template: K;
    readonly to: { readonly email: string; readonly name: string };
    readonly about: MailTemplateData[K];
  };
}[T];

export const QueuedMail = v.variant(
  "template",
  Object.entries(MAIL_TEMPLATES).map(([template, about]) =>
    v.object({ template: v.literal(template), to: v.object({ email: Text, name: Text }), about })
  ),
) as v.GenericSchema<unknown, QueuedMail>;
export type QueuedMail = QueuedMailOf<MailTemplate>;
