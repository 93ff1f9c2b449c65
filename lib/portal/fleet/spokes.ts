/** Renders the list of spokes in all hubs, with its filters in the URL. */
import type { ListPage } from "#lib/drivers/db/pages.ts";
import { type Markup, markup } from "#lib/http/page.ts";
import { filterOptions, renderFilterForm } from "#lib/portal/components/forms.ts";
import { icon } from "#lib/portal/components/icons.ts";
import * as ui from "#lib/portal/components/parts.ts";
import { isUnfinishedOperation, progressBar } from "#lib/portal/components/progress.ts";
import type { CatalogOffer, Hub, Spoke } from "#lib/portal/components/api-types.ts";
import type { CurrentUser, PageView } from "#lib/portal/components/view.ts";
import { bulkForm, type SpokeListFilter } from "#lib/portal/fleet/bulk-form.ts";
import { STORAGE_THRESHOLDS } from "#lib/domains/usage/storage.ts";
import { LIVE_STATES } from "#lib/model/states.ts";

export const FLEET_SPOKES_PER_PAGE = 50;

/** The filters and the sort order in the URL, by the names of the API. */
export const SPOKE_LIST_PARAMETERS = [
  ...[
    "q",
    "federationId",
    "state",
    "health",
    "lmsVersion",
    "size",
    "region",
    "minStoragePercent",
    "addon",
    "outdated",
    "sort",
  ] as const,
] as const;

interface FleetSpokesProps {
  readonly me: CurrentUser;
  readonly spokes: ListPage<Spoke>;
  /** The hubs of the listed spokes, by ID. */
  readonly hubs: ReadonlyMap<string, Hub>;
  readonly catalog: CatalogOffer;
  readonly query: SpokeListFilter;
  readonly before: string | undefined;
}

export function fleetSpokesView({ me, spokes, hubs, catalog, query, before }: FleetSpokesProps): PageView {
  const { items, next } = spokes, isFiltered = Object.values(query).some((each) => each !== undefined);
  return {
    title: "Spokes",
    section: "spokes",
    lead: "The Moodle sites of all hubs that you can see.",
    poll: 10,
    body: markup`${filterForm(query, catalog)}
<form method="post" action="/spokes/actions"><div id="spokes" data-live>${
      items.length > 0
        ? markup`<ul class="list spokes fleet">${items.map((spoke) => fleetRow(spoke, hubs, query.sort))}</ul>`
        : isFiltered
        ? ui.emptyState("No matching spokes", "Change the filters.", ui.linkButton(["All spokes", "/spokes"]))
        : ui.emptyState("No spokes yet", "Open a hub to add its first spoke.", ui.linkButton(["Hubs", "/hubs"], "main"))
    }</div>${
      bulkForm({ isOperator: me.role === "operator", filter: query, hasMore: next !== null || before !== undefined })
    }</form>
${ui.nextPageLink("/spokes", next, query)}`,
  };
}

function filterForm(query: SpokeListFilter, catalog: CatalogOffer): Markup {
  const choices = (name: string, label: string, list: readonly { readonly name: string }[]) => {
    const names = list.map((each) => each.name), value = query[name];
    const all = value === undefined || names.includes(value) ? names : [...names, value];
    return { name, label, value, options: [["", "Any"], ...all.map((each) => [each] as const)] as const };
  };
  return renderFilterForm("/spokes", [
    { name: "q", label: "Search", type: "search", value: query.q, placeholder: "Name, slug or domain" },
    { name: "federationId", label: "Hub", type: "search", value: query.federationId, placeholder: "Slug of a hub" },
    { name: "state", label: "State", value: query.state, options: filterOptions(LIVE_STATES) },
    {
      name: "health",
      label: "Health",
      value: query.health,
      options: filterOptions(["healthy", "degraded", "unknown"]),
    },
    choices("lmsVersion", "Version", catalog.versions),
    choices("size", "Size", catalog.sizes),
    ...catalog.regions.length > 0 || query.region ? [choices("region", "Region", catalog.regions)] : [],
    {
      name: "minStoragePercent",
      label: "Storage",
      value: query.minStoragePercent,
      options: storageOptions(query.minStoragePercent),
    },
    { name: "addon", label: "Add-on", type: "search", value: query.addon, placeholder: "Such as mod_attendance" },
    { name: "outdated", label: "Blueprint", value: query.outdated, options: [["", "Any"], ["true", "Older revision"]] },
    {
      name: "sort",
      label: "Sort by",
      value: query.sort,
      options: [["", "Newest"], ["oldest", "Oldest"], ["last-failure", "Last failure"], ["storage", "Storage used"]],
    },
  ]);
}

/** The percentages that users can choose. A percentage that is only in the URL is added. */
function storageOptions(value: string | undefined): readonly (readonly [value: string, text: string])[] {
  const percents = STORAGE_THRESHOLDS.map(String),
    all = !value || percents.includes(value) ? percents : [...percents, value];
  return [["", "Any"], ...all.map((percent) => [percent, `At least ${percent}%`] as const)];
}

function fleetRow(spoke: Spoke, hubs: ReadonlyMap<string, Hub>, sort: string | undefined): Markup {
  const { id, displayName, domain, federationId, size, lmsVersion, state, health, operation, stateReason } = spoke;
  const hub = hubs.get(federationId);
  return markup`<li id="${id}"><input class="above" type="checkbox" name="spoke:${id}" value="on" aria-label="Select ${displayName}"><span class="name"><a class="cover" href="/spokes/${id}">${displayName}</a><span class="tiny soft">${domain}${
    hub ? markup` · <a class="above" href="/hubs/${hub.id}">${hub.name}</a>` : ""
  }</span></span>
${
    isUnfinishedOperation(operation)
      ? progressBar(operation)
      : markup`<span class="small soft">${stateReason ?? `${size} · Moodle ${lmsVersion}`}<span class="tiny">${
        sort === "last-failure"
          ? markup` · failed ${ui.renderTime(spoke.lastFailedAt)}`
          : markup` · created ${ui.renderTime(spoke.createdAt)}`
      }</span></span>`
  }<span class="storage tiny">${renderStorage(spoke)}</span>${ui.stateBadge(state, health)}</li>`;
}

function renderStorage({ storagePercent }: Spoke): Markup | string {
  if (storagePercent === null) return "";
  return storagePercent >= STORAGE_THRESHOLDS[0]
    ? markup`<b class="warn">${icon("warning")} ${storagePercent}% full</b>`
    : markup`<span class="soft">${storagePercent}% full</span>`;
}
