/** Renders an audit event as a row in a list. */
import type * as v from "valibot";
import type { AuditKind } from "#lib/audit/kinds.ts";
import type { AuditEventView } from "#lib/audit/views.ts";
import { type Markup, markup } from "#lib/http/page.ts";
import { icon, type IconName } from "#lib/portal/components/icons.ts";
import { type BadgeTone, humanize, renderTime } from "#lib/portal/components/parts.ts";
import { EVENT_SENTENCES } from "#lib/portal/audit/sentences.ts";

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

function objectName({ objectId, actor, metadata: { slug, email } }: AuditEventItem): string {
  const name = slug ?? email;
  return typeof name === "string" ? name : objectId === actor.id ? actor.email : objectId;
}

/** Returns the path of the page for the event's object, or null if the object was removed or has no page. */
function objectHref({ kind, objectType, objectId }: AuditEventItem, linkUsers: boolean): string | null {
  if (kind === "spoke_destroyed" || kind === "federation_destroyed") return null;
  if (objectType === "spoke") return `/spokes/${objectId}`;
  if (objectType === "federation") return `/hubs/${objectId}`;
  if (objectType === "federation_request") return "/requests";
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
