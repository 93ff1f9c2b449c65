/** Renders the audit log page with its search form and export links. */
import type { ListPage } from "#lib/drivers/db/pages.ts";
import { AUDIT_KINDS, AUDIT_OBJECT_TYPES } from "#lib/audit/kinds.ts";
import { type Markup, markup } from "#lib/http/page.ts";
import { filterOptions, renderFilterForm } from "#lib/portal/components/forms.ts";
import * as ui from "#lib/portal/components/parts.ts";
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
  readonly events: ListPage<AuditEventItem>;
  readonly filters: AuditFilters;
}

const PATH = "/audit";

export function auditView({ events, filters }: AuditProps): PageView {
  const isFiltered = Object.values(filters).some((each) => each !== undefined);
  const exportLink = (format: string) => ui.appendQuery(`${PATH}/export`, { format, ...filters });
  return {
    title: "Audit",
    section: "audit",
    lead: `Who did what, when and from where. Exports contain the search results: at most the newest ${
      MAX_EXPORTED_EVENTS.toLocaleString("en")
    } events.`,
    actions: markup`${ui.linkButton(["Export CSV", exportLink("csv")])}${
      ui.linkButton(["Export JSON Lines", exportLink("jsonl")])
    }`,
    body: markup`${searchForm(filters, isFiltered)}
<div id="events">${
      events.items.length > 0
        ? markup`<ul class="list event-list">${
          events.items.map((event) => renderEventRow(event, { linkUsers: true, details: eventDetails(event) }))
        }</ul>`
        : ui.emptyState(
          "No matching events",
          "Change the search or show the whole audit log.",
          ui.linkButton(["Show all", PATH]),
        )
    }</div>
${ui.nextPageLink(PATH, events.next, { ...filters })}`,
  };
}

function searchForm(
  { kind, actor, federationId, objectType, objectId, until }: AuditFilters,
  isFiltered: boolean,
): Markup {
  return renderFilterForm(
    PATH,
    [
      { name: "actor", label: "Actor", type: "search", value: actor, placeholder: "Email address, user ID or system" },
      { name: "kind", label: "Event", value: kind, options: filterOptions(Object.keys(AUDIT_KINDS)) },
      { name: "federationId", label: "Hub", type: "search", value: federationId, placeholder: "Slug or ID" },
      { name: "objectType", label: "Object type", value: objectType, options: filterOptions(AUDIT_OBJECT_TYPES) },
      { name: "objectId", label: "Object ID", type: "search", value: objectId, placeholder: "spk_…" },
      { name: "until", label: "Before (UTC)", type: "datetime-local", value: until?.replace(/Z$/, "") },
    ],
    isFiltered ? ui.linkButton(["Clear", PATH]) : "",
  );
}

function eventDetails({ id, kind, actor, objectType, objectId, ip, userAgent, metadata }: AuditEventItem): Markup {
  const filter = (query: Record<string, string>, text: string) =>
    markup`<a href="${ui.appendQuery(PATH, query)}"><code>${text}</code></a>`;
  const list = ui.definitionList([
    ["Event", filter({ kind }, kind)],
    ["Actor", filter({ actor: actor.id }, actor.id)],
    ["Object", markup`${ui.humanize(objectType)} ${filter({ objectId }, objectId)}`],
    ["IP address", ip || "none"],
    ["User agent", userAgent || "unknown"],
  ]);
  return markup`<details id="${id}-more"><summary>Details</summary><div class="more">${list}${
    Object.keys(metadata).length === 0
      ? ""
      : markup`<pre class="log" tabindex="0">${JSON.stringify(metadata, null, 2)}</pre>`
  }</div></details>`;
}
