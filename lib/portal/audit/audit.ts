/** Renders the audit log page with its search form and export links. */
import { AUDIT_KINDS, AUDIT_OBJECT_TYPES } from "#lib/audit/kinds.ts";
import { type Markup, markup } from "#lib/http/page.ts";
import { inputField, selectField } from "#lib/portal/components/forms.ts";
import {
  appendQuery,
  definitionList,
  emptyState,
  humanize,
  linkButton,
  nextPageLink,
} from "#lib/portal/components/parts.ts";
import type { PageView } from "#lib/portal/components/view.ts";
import { type AuditEventItem, renderEventRow } from "#lib/portal/audit/event.ts";
import { MAX_EXPORTED_EVENTS } from "#lib/portal/audit/export.ts";

export const AUDIT_EVENTS_PER_PAGE = 50;

/** The values of the audit log's search form. `until` is a UTC time from a `datetime-local` field. */
export interface AuditFilters {
  readonly kind?: string | undefined;
  readonly actor?: string | undefined;
  readonly federationId?: string | undefined;
  readonly objectType?: string | undefined;
  readonly objectId?: string | undefined;
  readonly until?: string | undefined;
}

/** Returns the query parameters for the audit API. The page cursor `before` takes precedence over the time `until`. */
export function buildAuditQuery({ until, ...filters }: AuditFilters, before?: string) {
  const end = until !== undefined && !until.endsWith("Z") ? `${until}Z` : until;
  return { ...filters, before: before ?? end };
}

interface AuditProps {
  readonly events: readonly AuditEventItem[];
  /** The cursor for the next page; null on the last page. */
  readonly next: string | null;
  readonly filters: AuditFilters;
}

const PATH = "/audit";

export function auditView({ events, next, filters }: AuditProps): PageView {
  const isFiltered = Object.values(filters).some((each) => each !== undefined);
  const exportLink = (format: string) => appendQuery(`${PATH}/export`, { format, ...filters });
  return {
    title: "Audit",
    section: "audit",
    lead: `Who did what, when and from where. Exports contain the search results: at most the newest ${
      MAX_EXPORTED_EVENTS.toLocaleString("en")
    } events.`,
    actions: markup`${linkButton(["Export CSV", exportLink("csv")])}${
      linkButton(["Export JSON Lines", exportLink("jsonl")])
    }`,
    body: markup`${searchForm(filters, isFiltered)}
<div id="events">${
      events.length > 0
        ? markup`<ul class="list event-list">${
          events.map((event) => renderEventRow(event, { linkUsers: true, details: eventDetails(event) }))
        }</ul>`
        : emptyState(
          "No matching events",
          "Change the search or show the whole audit log.",
          linkButton(["Show all", PATH]),
        )
    }</div>
${nextPageLink(next && appendQuery(PATH, { ...filters, before: next }))}`,
  };
}

function searchForm(
  { kind, actor, federationId, objectType, objectId, until }: AuditFilters,
  isFiltered: boolean,
): Markup {
  return markup`<form class="filters" role="search" action="${PATH}">
${
    inputField({
      name: "actor",
      label: "Actor",
      type: "search",
      value: actor,
      placeholder: "Email address, user ID or system",
    })
  }
${selectField({ name: "kind", label: "Event", value: kind, options: [["", "Any"], ...KINDS] })}
${inputField({ name: "federationId", label: "Hub", type: "search", value: federationId, placeholder: "Slug or ID" })}
${selectField({ name: "objectType", label: "Object type", value: objectType, options: [["", "Any"], ...TYPES] })}
${inputField({ name: "objectId", label: "Object ID", type: "search", value: objectId, placeholder: "spk_…" })}
${dayField(until)}
<button class="quiet">Search</button>${isFiltered ? linkButton(["Clear", PATH]) : ""}</form>`;
}

const KINDS = Object.keys(AUDIT_KINDS).map((kind) => [kind, humanize(kind)] as const);
const TYPES = AUDIT_OBJECT_TYPES.map((type) => [type, humanize(type)] as const);

function dayField(until: string | undefined): Markup {
  return markup`<div class="field"><label for="until">Before (UTC)</label>
<input id="until" name="until" type="datetime-local" value="${until?.replace(/Z$/, "") ?? ""}"></div>`;
}

function eventDetails({ id, kind, actor, objectType, objectId, ip, userAgent, metadata }: AuditEventItem): Markup {
  const filter = (query: Record<string, string>, text: string) =>
    markup`<a href="${appendQuery(PATH, query)}"><code>${text}</code></a>`;
  const list = definitionList([
    ["Event", filter({ kind }, kind)],
    ["Actor", filter({ actor: actor.id }, actor.id)],
    ["Object", markup`${humanize(objectType)} ${filter({ objectId }, objectId)}`],
    ["IP address", ip || "none"],
    ["User agent", userAgent || "unknown"],
  ]);
  return markup`<details id="${id}-more"><summary>Details</summary><div class="more">${list}${
    Object.keys(metadata).length === 0
      ? ""
      : markup`<pre class="log" tabindex="0">${JSON.stringify(metadata, null, 2)}</pre>`
  }</div></details>`;
}
