/** The audit log, to search and to take along. */
import { AUDIT_KINDS, OBJECT_TYPES } from "#lib/audit/kinds.ts";
import { type Markup, markup } from "#lib/http/page.ts";
import { field, selectField } from "#lib/portal/components/forms.ts";
import {
  definitionList,
  emptyState,
  humanize,
  linkButton,
  olderLink,
  withQuery,
} from "#lib/portal/components/parts.ts";
import type { View } from "#lib/portal/components/view.ts";
import { type AuditEventItem, eventRow, eventStyle } from "#lib/portal/audit/event.ts";
import { MAX_EXPORTED } from "#lib/portal/audit/export.ts";

export const AUDIT_PER_PAGE = 50;

/** What the form asks; `until` is as a field of the browser gives it, in UTC. */
export interface AuditFilters {
  readonly kind?: string | undefined;
  readonly actor?: string | undefined;
  readonly federationId?: string | undefined;
  readonly objectType?: string | undefined;
  readonly objectId?: string | undefined;
  readonly until?: string | undefined;
}

/** The same as the API asks it. A page that goes on where another ended does so before what that one showed. */
export function auditQuery({ until, ...filters }: AuditFilters, before?: string) {
  const end = until !== undefined && !until.endsWith("Z") ? `${until}Z` : until;
  return { ...filters, before: before ?? end };
}

interface AuditProps {
  readonly events: readonly AuditEventItem[];
  /** Where the next page begins; null on the last one. */
  readonly next: string | null;
  readonly filters: AuditFilters;
}

const PATH = "/audit";

export function auditView({ events, next, filters }: AuditProps): View {
  const isFiltered = Object.values(filters).some((each) => each !== undefined);
  const exportLink = (format: string) => withQuery(`${PATH}/export`, { format, ...filters });
  return {
    title: "Audit",
    section: "audit",
    lead: `Everything that was done, by whom and from where. An export takes what the search finds: the newest ${
      MAX_EXPORTED.toLocaleString("en")
    } events at most.`,
    actions: markup`${linkButton(["Export CSV", exportLink("csv")])}${
      linkButton(["Export JSON Lines", exportLink("jsonl")])
    }`,
    style: eventStyle + style,
    body: markup`${searchForm(filters, isFiltered)}
<div id="events">${
      events.length > 0
        ? markup`<ul class="list happened">${
          events.map((event) => eventRow(event, { linkUsers: true, details: eventDetails(event) }))
        }</ul>`
        : emptyState(
          "Nothing fits",
          "Search for something else, or see all of it.",
          linkButton(["The whole log", PATH]),
        )
    }</div>
${olderLink(next && withQuery(PATH, { ...filters, before: next }))}`,
  };
}

function searchForm(
  { kind, actor, federationId, objectType, objectId, until }: AuditFilters,
  isFiltered: boolean,
): Markup {
  return markup`<form class="filters" role="search" action="${PATH}">
${field({ name: "actor", label: "Who", type: "search", value: actor, placeholder: "Address, id, system" })}
${selectField({ name: "kind", label: "What", value: kind, options: [["", "Anything"], ...KINDS] })}
${field({ name: "federationId", label: "Hub", type: "search", value: federationId, placeholder: "Slug or id" })}
${selectField({ name: "objectType", label: "About", value: objectType, options: [["", "Anything"], ...TYPES] })}
${field({ name: "objectId", label: "Its id", type: "search", value: objectId, placeholder: "spk_…" })}
${dayField(until)}
<button class="quiet">Search</button>${isFiltered ? linkButton(["Clear", PATH]) : ""}</form>`;
}

const KINDS = Object.keys(AUDIT_KINDS).map((kind) => [kind, humanize(kind)] as const);
const TYPES = OBJECT_TYPES.map((type) => [type, humanize(type)] as const);

function dayField(until: string | undefined): Markup {
  return markup`<div class="field"><label for="until">Before (UTC)</label>
<input id="until" name="until" type="datetime-local" value="${until?.replace(/Z$/, "") ?? ""}"></div>`;
}

function eventDetails({ id, kind, actor, objectType, objectId, ip, userAgent, metadata }: AuditEventItem): Markup {
  const filter = (query: Record<string, string>, text: string) =>
    markup`<a href="${withQuery(PATH, query)}"><code>${text}</code></a>`;
  const list = definitionList([
    ["Kind", filter({ kind }, kind)],
    ["Who", filter({ actor: actor.id }, actor.id)],
    ["About", markup`${humanize(objectType)} ${filter({ objectId }, objectId)}`],
    ["From", ip || "here"],
    ["With", userAgent || "nothing that is known"],
  ]);
  return markup`<details id="${id}-more"><summary>Details</summary><div class="more">${list}${
    Object.keys(metadata).length === 0
      ? ""
      : markup`<pre class="log" tabindex="0">${JSON.stringify(metadata, null, 2)}</pre>`
  }</div></details>`;
}

const style = `
.filters .field:has([type=datetime-local]) { min-width: 16rem; }
.filters .button { min-height: 2.5rem; }
`;
