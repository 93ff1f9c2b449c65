/** Renders an audit event as a row in a list, with a sentence for each kind of event. */
import type * as v from "valibot";
import type { AuditKind } from "#lib/audit/kinds.ts";
import type { AuditEventView } from "#lib/audit/views.ts";
import { type Markup, markup } from "#lib/http/page.ts";
import { icon, type IconName } from "#lib/portal/components/icons.ts";
import { type BadgeTone, humanize, renderTime } from "#lib/portal/components/parts.ts";

export type AuditEventItem = v.InferOutput<typeof AuditEventView>;

const SIGNS: Readonly<Record<BadgeTone, IconName>> = {
  good: "done",
  info: "dot",
  warn: "warning",
  bad: "cross",
  still: "minus",
};

/**
 * Options for the row of an audit event. `details` appear below the event's text, `action` at the end of the row.
 * If `linkUsers` is true, email addresses link to the users' pages.
 */
interface RowOptions {
  readonly linkUsers: boolean;
  readonly badge?: Markup | string;
  readonly details?: Markup | string;
  readonly action?: Markup | string;
}

export function renderEventRow(
  event: AuditEventItem,
  { linkUsers, badge = "", details = "", action = "" }: RowOptions,
): Markup {
  const { id, at, actor } = event, tone = eventTone(event), detail = eventDetail(event.metadata);
  return markup`<li id="${id}"><span class="sign ${tone}">${icon(SIGNS[tone])}</span>
<div class="what"><p>${badge}${sentenceMarkup(event, linkUsers)}</p>
${detail ? markup`<p class="small">${detail}</p>` : ""}
<div class="foot"><p class="tiny soft">${
    actor.id === "system" ? "By Wheelwright" : markup`By ${userLink(actor.id, actor.email || actor.id, linkUsers)}`
  }, ${renderTime(at)}</p>${details}</div></div>
${action ? markup`<div class="row-action">${action}</div>` : ""}</li>`;
}

/** Returns the sentence that describes an audit event, as plain text for screen readers. */
export function describeAuditEvent(event: AuditEventItem): string {
  return pieces(event).map(({ text }) => text).join("");
}

function sentenceMarkup(event: AuditEventItem, linkUsers: boolean): Markup {
  const href = objectHref(event, linkUsers);
  return markup`${
    pieces(event).map(({ text, isObject }) =>
      !isObject ? text : href === null ? markup`<b>${text}</b>` : markup`<a href="${href}">${text}</a>`
    )
  }`;
}

interface Piece {
  readonly text: string;
  readonly isObject: boolean;
}

function pieces(event: AuditEventItem): Piece[] {
  const { actor, metadata } = event, [, sentence] = sentenceFor(event);
  return sentence.split(/(%|\{\w+\})/).map((piece) => {
    if (piece === "%") return { text: objectName(event), isObject: true };
    const name = /^\{(\w+)\}$/.exec(piece)?.[1];
    const text = name === undefined ? piece : name === "actor" ? actor.email : fieldText(name, metadata[name]);
    return { text, isObject: false };
  });
}

/** Formats a metadata field of an audit event as text. Replaces hyphens in names of actions with spaces. */
function fieldText(field: string, value: unknown): string {
  const text = typeof value === "string" || typeof value === "number"
    ? String(value)
    : field === "email"
    ? "a user"
    : "unknown";
  return field === "action" || field === "kind" ? text.replaceAll("-", " ") : text;
}

function eventTone(event: AuditEventItem): BadgeTone {
  if (event.kind === "spoke_health_changed") return event.metadata.to === "healthy" ? "good" : "warn";
  return sentenceFor(event)[0];
}

function sentenceFor({ kind }: AuditEventItem): readonly [BadgeTone, string] {
  return EVENT_SENTENCES[kind as AuditKind] ?? ["still", `${humanize(kind)}: %`];
}

function objectName({ objectType, objectId, actor, metadata: { slug, email } }: AuditEventItem): string {
  if (objectType === "rollout") return "rollout";
  const name = slug ?? email;
  return typeof name === "string" ? name : objectId === actor.id ? actor.email : objectId;
}

/** Returns the path of the page for the event's object, or null if the object was removed or has no page. */
function objectHref({ kind, objectType, objectId }: AuditEventItem, linkUsers: boolean): string | null {
  if (kind === "spoke_destroyed" || kind === "federation_destroyed") return null;
  if (kind === "spoke_storage_low") return `/spokes/${objectId}/actions/resize`;
  if (objectType === "spoke") return `/spokes/${objectId}`;
  if (objectType === "federation") return `/hubs/${objectId}`;
  if (objectType === "federation_request") return "/requests";
  if (objectType === "rollout") return `/rollouts/${objectId}`;
  if (objectType === "webhook") return kind === "webhook_deleted" ? null : `/webhooks/${objectId}`;
  return objectType === "user" && linkUsers && isUser(objectId) ? `/users/${objectId}` : null;
}

function userLink(id: string, email: string, linkUsers: boolean): Markup | string {
  return linkUsers && isUser(id) ? markup`<a href="/users/${id}">${email}</a>` : email;
}

/** Returns whether the ID belongs to a user. Some actors, such as `system`, have no user account. */
function isUser(id: string): boolean {
  return id.startsWith("usr_");
}

/** Returns an event's message, reason or changed fields, or an empty string if the event has no such metadata. */
function eventDetail({ message, reason, changed, size, lmsVersion }: AuditEventItem["metadata"]): string {
  if (typeof message === "string") return `${message}.`;
  if (typeof reason === "string" && reason) return humanize(reason);
  if (changed !== null && typeof changed === "object") {
    const names = Array.isArray(changed) ? changed : Object.keys(changed);
    return names.length === 0 ? "" : `Changed: ${names.map((name) => splitWords(String(name))).join(", ")}`;
  }
  return [typeof size === "string" ? size : "", typeof lmsVersion === "string" ? `Moodle ${lmsVersion}` : ""]
    .filter((each) => each).join(", ");
}

/** Splits a camel-case name into words: `displayName` becomes `display name`. */
function splitWords(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** A sentence for each kind of event. Placeholders: `%` is the event's object, `{…}` the actor or a metadata field. */
export const EVENT_SENTENCES: Readonly<Record<AuditKind, readonly [tone: BadgeTone, sentence: string]>> = {
  rollout_created: ["info", "The % ({action}, {spokes} spokes) was started"],
  rollout_paused: ["warn", "The % ({action}) was paused"],
  rollout_resumed: ["info", "The % ({action}) was resumed"],
  rollout_aborted: ["still", "The % ({action}) was aborted"],
  rollout_completed: ["good", "The % ({action}) is complete"],
  spoke_requested: ["still", "Spoke % was requested"],
  spoke_provisioned: ["good", "Spoke % is ready"],
  spoke_provision_failed: ["bad", "Spoke % could not be installed"],
  spoke_removal_requested: ["still", "Removal of spoke % was requested"],
  spoke_destroyed: ["still", "Spoke % was removed"],
  spoke_actioned: ["info", "Action {action} was requested on spoke %"],
  spoke_action_succeeded: ["good", "Action {action} succeeded on spoke %"],
  spoke_action_failed: ["bad", "Action {action} failed on spoke %"],
  spoke_health_changed: ["info", "Spoke % is now {to}"],
  spoke_storage_low: ["warn", "The storage of spoke % is {percent}% full"],
  spoke_certificate_expiring: ["warn", "The certificate of spoke % ends on {endsOn}"],
  spoke_updated: ["info", "Spoke % was changed"],
  spoke_copied: ["info", "Spoke % was copied to {copySlug}"],
  spoke_delegated: ["info", "{email} became an admin of spoke %"],
  spoke_delegation_removed: ["still", "{email} is no longer an admin of spoke %"],
  spoke_member_removed: ["still", "{email} is no longer an admin of spoke %"],
  spoke_sign_in_link_created: ["info", "A sign-in link for spoke % was created"],
  federation_created: ["still", "Hub % was requested"],
  federation_provisioned: ["good", "Hub % is ready"],
  federation_provision_failed: ["bad", "Hub % could not be set up"],
  federation_updated: ["info", "Hub % was changed"],
  federation_library_failed: ["bad", "The library of the courses of hub % has a problem"],
  federation_removal_requested: ["still", "Removal of hub % was requested"],
  federation_destroyed: ["still", "Hub % was removed"],
  federation_requested: ["info", "A user requested hub %"],
  federation_request_approved: ["good", "The request for hub % was approved"],
  federation_request_rejected: ["warn", "The request for hub % was rejected"],
  federation_request_withdrawn: ["still", "The request for hub % was withdrawn"],
  federation_member_added: ["info", "{email} became an admin of hub %"],
  federation_member_removed: ["still", "{email} is no longer an admin of hub %"],
  operation_cancelled: ["still", "Operation {kind} was cancelled"],
  tenant_backup_succeeded: ["good", "Spoke % was backed up"],
  tenant_backup_failed: ["bad", "A backup of spoke % failed"],
  tenant_backup_verified: ["good", "A backup of spoke % passed its restore test"],
  restore_requested: ["info", "A restore of spoke % was requested"],
  restore_request_done: ["good", "The requested restore of spoke % was completed"],
  restore_request_declined: ["warn", "The requested restore of spoke % was declined"],
  database_restored: ["warn", "The database was restored from a backup"],
  database_released: ["good", "Operations resumed after the database restore"],
  billing_connected: ["info", "Billing was set up for hub %"],
  billing_reconcile_requested: ["still", "Billing for hub % is being reconciled"],
  billing_subscription_updated: ["info", "The subscription for hub % changed"],
  billing_difference_found: ["warn", "The bill for hub % does not match its spokes"],
  billing_subscription_refunded: ["info", "A payment for hub % was refunded"],
  billing_subscription_past_due: ["warn", "A payment for hub % is overdue"],
  webhook_created: ["info", "A webhook to {host} was created"],
  webhook_updated: ["info", "The webhook to {host} was changed"],
  webhook_deleted: ["still", "The webhook to {host} was deleted"],
  webhook_secret_rotated: ["info", "The webhook to {host} got a new secret"],
  webhook_disabled: ["bad", "The webhook to {host} was disabled"],
  webhook_tested: ["still", "A test message was sent to the webhook to {host}"],
  webhook_redelivered: ["still", "A message was sent again to the webhook to {host}"],
  token_created: ["info", "API token {name} was created"],
  terminal_sign_in_approved: ["info", "{actor} approved a sign-in from a terminal: {name}"],
  terminal_sign_in_denied: ["still", "{actor} denied a sign-in from a terminal: {name}"],
  token_revoked: ["still", "API token {name} was revoked"],
  user_created: ["info", "The account of % was created"],
  user_updated: ["info", "The account of % was changed"],
  user_invited: ["info", "% was invited"],
  invitation_accepted: ["good", "% accepted the invitation"],
  invitation_refused: ["bad", "The mail server refused the invitation to {email}"],
  user_mail_refused: ["bad", "The mail server refused an email to {email}"],
  email_verified: ["good", "The email address of % was verified"],
  password_reset_requested: ["info", "A password reset was requested for %"],
  password_reset: ["warn", "The password of % was reset"],
  password_changed: ["info", "The password of % was changed"],
  password_change_failed: ["warn", "The password of % was not changed: the current password was wrong"],
  identity_linked: ["info", "The account of % was linked to {provider}"],
  identity_unlinked: ["still", "The account of % was unlinked from {provider}"],
  auth_login: ["still", "{actor} signed in"],
  auth_login_failed: ["warn", "A sign-in failed"],
  auth_logout: ["still", "{actor} signed out"],
  second_factor_requested: ["still", "{actor} entered the right password and was asked for the second factor"],
  second_factor_failed: ["warn", "A wrong second factor was entered for {actor}"],
  factor_added: ["still", "% added the second factor {name}"],
  factor_renamed: ["still", "% renamed a second factor to {name}"],
  factor_removed: ["warn", "% removed the second factor {name}"],
  factors_reset: ["warn", "{actor} removed all second factors of %"],
  recovery_codes_renewed: ["still", "% renewed the recovery codes"],
  recovery_code_used: ["warn", "% used a recovery code"],
  session_confirmed: ["still", "{actor} confirmed a session"],
  session_confirmation_failed: ["warn", "{actor} entered a wrong password to confirm a session"],
  session_ended: ["still", "{actor} ended a session"],
  other_sessions_ended: ["still", "{actor} ended all other sessions"],
  onboarding_completed: ["still", "% completed onboarding"],
  notifications_read: ["still", "% marked {marked} notifications as read"],
  internal_metric_emit: ["still", "A metric was recorded"],
};
