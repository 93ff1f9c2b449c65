/** Renders the list of operations on all hubs and spokes. */
import type { ListPage } from "#lib/drivers/db/pages.ts";
import { type Markup, markup } from "#lib/http/page.ts";
import { filterOptions, renderFilterForm } from "#lib/portal/components/forms.ts";
import * as ui from "#lib/portal/components/parts.ts";
import { isUnfinishedOperation, progressBar } from "#lib/portal/components/progress.ts";
import type { Hub, Operation, Spoke } from "#lib/portal/components/api-types.ts";
import type { PageView } from "#lib/portal/components/view.ts";
import { OPERATION_STATE_FILTERS } from "#lib/jobs/list.ts";

interface FleetOperationsProps {
  readonly operations: ListPage<Operation>;
  /** The hubs and spokes of the listed operations by ID. Those that were removed are left out. */
  readonly hubs: ReadonlyMap<string, Hub>;
  readonly spokes: ReadonlyMap<string, Spoke>;
  readonly query: { readonly state?: string | undefined; readonly federationId?: string | undefined };
}

export function fleetOperationsView(
  { operations: { items, next }, hubs, spokes, query }: FleetOperationsProps,
): PageView {
  const isFiltered = Object.values(query).some((each) => each !== undefined);
  return {
    title: "Operations",
    section: "operations",
    lead: "What runs, waits and has ended on all hubs and spokes that you can see.",
    poll: 5,
    body: markup`${
      renderFilterForm("/operations", [
        { name: "federationId", label: "Hub", type: "search", value: query.federationId, placeholder: "Slug of a hub" },
        { name: "state", label: "State", value: query.state, options: filterOptions(OPERATION_STATE_FILTERS) },
      ])
    }<div id="operations" data-live>${
      items.length > 0
        ? markup`<ul class="list plain">${items.map((operation) => operationRow(operation, hubs, spokes))}</ul>`
        : isFiltered
        ? ui.emptyState(
          "No matching operations",
          "Change the filters.",
          ui.linkButton(["All operations", "/operations"]),
        )
        : ui.emptyState("No operations yet", "Operations on hubs and spokes appear here.")
    }</div>
${ui.nextPageLink("/operations", next, query)}`,
  };
}

function operationRow(
  operation: Operation,
  hubs: FleetOperationsProps["hubs"],
  spokes: FleetOperationsProps["spokes"],
): Markup {
  const { id, kind, state, spokeId, federationId, createdAt, error } = operation;
  const spoke = spokes.get(spokeId ?? ""),
    hub = hubs.get(federationId ?? ""),
    subject = spoke?.displayName ?? hub?.name;
  const href = spoke ? `/spokes/${spoke.id}/operations/${id}` : hub ? `/hubs/${hub.id}/operations` : null;
  return markup`<li id="${id}"><span class="name">${
    href === null ? ui.humanize(kind) : markup`<a class="cover" href="${href}">${ui.humanize(kind)}</a>`
  } <span class="tiny soft">${spokeId !== null && !spoke ? "Removed spoke" : subject ?? "Removed hub"}${
    spoke ? ` · ${spoke.domain}` : ""
  }</span></span>
${
    isUnfinishedOperation(operation)
      ? progressBar(operation)
      : markup`<span class="small soft">${error ? `${error.message}. ` : ""}<span class="tiny">${
        ui.renderTime(createdAt)
      }</span></span>`
  }${ui.stateBadge(state)}</li>`;
}
