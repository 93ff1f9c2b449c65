/** Renders a hub's page, which lists the hub's spokes. */
import type { ListPage } from "#lib/drivers/db/pages.ts";
import { type Markup, markup } from "#lib/http/page.ts";
import { filterOptions, renderFilterForm } from "#lib/portal/components/forms.ts";
import * as ui from "#lib/portal/components/parts.ts";
import { isUnfinishedOperation, progressBar } from "#lib/portal/components/progress.ts";
import type { NavLink, PageView, StreamPosition } from "#lib/portal/components/view.ts";
import { availabilityPanel } from "#lib/portal/components/availability.ts";
import type { AvailabilityMonths, FleetOverview, Hub, HubUsage, Spoke } from "#lib/portal/components/api-types.ts";
import { hubUsageSummary } from "#lib/portal/spokes/usage.ts";
import { fleetSummary } from "#lib/portal/hubs/list.ts";
import { bulkForm } from "#lib/portal/fleet/bulk-form.ts";
import { LIVE_STATES } from "#lib/model/states.ts";

export const SPOKES_PER_PAGE = 50;

export interface HubPageProps {
  readonly hub: Hub;
  readonly overview: FleetOverview;
  /** Null for users who do not manage the hub, and for a page that contains only rows. */
  readonly availability: AvailabilityMonths | null;
  /** The sums of the hub's spokes. Null if the user may not manage the hub. */
  readonly usage: HubUsage | null;
  readonly spokes: ListPage<Spoke>;
  readonly query: {
    readonly q?: string | undefined;
    readonly state?: string | undefined;
    readonly health?: string | undefined;
  };
  /** Whether the page contains only the rows of changed spokes, for an open page that refreshes these rows. */
  readonly hasOnlyRows: boolean;
  /** Whether the user is an operator or one of the hub's admins. */
  readonly canManageHub: boolean;
  readonly isOperator: boolean;
  readonly follow: StreamPosition;
}

export function hubView(
  { hub, overview, availability, usage, spokes, query, hasOnlyRows, canManageHub, isOperator, follow }: HubPageProps,
): PageView {
  const { id, operation, stateReason, state } = hub;
  const isFiltered = Object.values(query).some((each) => each !== undefined);
  const rows = markup`<ul class="list spokes">${spokes.items.map((spoke) => spokeRow(spoke, canManageHub))}</ul>`;
  const list = markup`${
    renderFilterForm(`/hubs/${id}`, [
      { name: "q", label: "Search", type: "search", value: query.q, placeholder: "Name, slug or domain" },
      { name: "state", label: "State", value: query.state, options: filterOptions(LIVE_STATES) },
      { name: "health", label: "Health", value: query.health, options: filterOptions(["healthy", "degraded"]) },
    ])
  }
<form method="post" action="/spokes/actions"><div id="spokes" data-live>${
    spokes.items.length > 0 ? rows : noSpokes(hub, isFiltered, canManageHub)
  }</div>${
    canManageHub
      ? bulkForm({ isOperator, filter: { federationId: id, ...query }, hasMore: spokes.next !== null, hub: id })
      : ""
  }</form>
${ui.nextPageLink(`/hubs/${id}`, spokes.next, query)}`;
  return {
    ...hubHeader(hub, canManageHub, `/hubs/${id}`),
    actions: canManageHub
      ? markup`<a class="button main" href="/hubs/${id}/spokes/new" data-create>Add a spoke</a>`
      : "",
    follow,
    body: markup`<div id="hub" data-live>${isUnfinishedOperation(operation) ? progressBar(operation) : ""}${
      state === "failed"
        ? ui.callout(
          "bad",
          markup`<p><b>${stateReason ?? "The hub could not be created"}.</b></p>${
            ui.renderPostButton(`/hubs/${id}/retry`, "Try again", { variant: "main" })
          }`,
        )
        : ""
    }</div>
${fleetSummary(overview, id)}
${hubUsageSummary(usage)}
${hasOnlyRows ? rows : list}
${availability ? availabilityPanel(availability) : ""}`,
  };
}

/** Returns the title, breadcrumb and tabs that all of a hub's pages share. */
export function hubHeader(
  { id, name, state }: Hub,
  canManageHub: boolean,
  here: string,
): Pick<PageView, "title" | "section" | "crumbs" | "badge" | "tabs"> {
  const of = (text: string, path: string): NavLink => [text, `/hubs/${id}${path}`];
  const more = [
    of("Shared with spokes", "/policy"),
    of("Members", "/members"),
    of("Webhooks", "/webhooks"),
    of("Billing", "/billing"),
    of("Settings", "/settings"),
  ];
  return {
    title: name,
    section: "hubs",
    crumbs: [["Hubs", "/hubs"]],
    badge: ui.stateBadge(state),
    tabs: { links: [of("Spokes", ""), of("Operations", "/operations"), ...(canManageHub ? more : [])], here },
  };
}

function spokeRow(spoke: Spoke, canManageHub: boolean): Markup {
  const { id, displayName, domain, size, lmsVersion, state, health, operation, stateReason, maintenance } = spoke;
  return markup`<li id="${id}">${
    canManageHub
      ? markup`<input class="above" type="checkbox" name="spoke:${id}" value="on" aria-label="Select ${displayName}">`
      : ""
  }<span class="name"><a class="cover" href="/spokes/${id}">${displayName}</a><span class="tiny soft">${domain}</span></span>
${
    isUnfinishedOperation(operation)
      ? progressBar(operation)
      : markup`<span class="small soft">${
        stateReason ?? (maintenance ? "Maintenance mode" : markup`${size} · Moodle ${lmsVersion}`)
      }</span>`
  }${ui.stateBadge(state, health)}</li>`;
}

function noSpokes({ id }: Hub, isFiltered: boolean, canManageHub: boolean): Markup {
  if (isFiltered) {
    return ui.emptyState(
      "No matching spokes",
      "Change the search or show all spokes.",
      ui.linkButton(["All spokes", `/hubs/${id}`]),
    );
  }
  return canManageHub
    ? ui.emptyState(
      "No spokes yet",
      "A spoke is one Moodle site with its own database. Creating the first spoke takes a few minutes.",
      ui.linkButton(["Add a spoke", `/hubs/${id}/spokes/new`], "main"),
    )
    : ui.emptyState(
      "No spokes yet",
      "You do not administer any spokes in this hub. Ask an admin of the hub for access.",
    );
}
