/** Renders a hub's operations, and explains how a program can follow the hub's events. */
import type { ListPage } from "#lib/drivers/db/pages.ts";
import { type Markup, markup } from "#lib/http/page.ts";
import * as ui from "#lib/portal/components/parts.ts";
import { isUnfinishedOperation, progressBar } from "#lib/portal/components/progress.ts";
import type { Hub, Operation, Spoke } from "#lib/portal/components/api-types.ts";
import type { PageView, StreamPosition } from "#lib/portal/components/view.ts";
import { hubHeader } from "#lib/portal/hubs/hub.ts";

interface HubOperationsProps {
  readonly hub: Hub;
  /** Whether the user is an operator or one of the hub's admins. */
  readonly canManageHub: boolean;
  readonly operations: ListPage<Operation>;
  /** The spokes of the listed operations, by spoke ID. Spokes that the user may not see are left out. */
  readonly spokes: ReadonlyMap<string, Spoke>;
  readonly publicUrl: URL;
  readonly follow: StreamPosition;
}

export function hubOperationsView(
  { hub, canManageHub, operations, spokes, publicUrl, follow }: HubOperationsProps,
): PageView {
  const { id } = hub;
  const url = new URL(`/api/federations/${id}/events`, publicUrl).href;
  return {
    ...hubHeader(hub, canManageHub, `/hubs/${id}/operations`),
    follow,
    body: markup`<div id="operations" data-live>${
      operations.items.length === 0
        ? ui.emptyState("No operations yet", "Operations on this hub and its spokes appear here.")
        : markup`<ul class="list plain">${
          operations.items.map((operation) => operationRow(hub, operation, spokes))
        }</ul>`
    }</div>
${ui.nextPageLink(`/hubs/${id}/operations`, operations.next)}
${
      ui.panel(
        "Follow events from a program",
        markup`<p class="small">Wheelwright sends each change as a server-sent event. To resume after a disconnect, send the ID of the last event as <code>Last-Event-ID</code>.</p>
${ui.copyableCode(`curl -N -H "Authorization: Bearer $TOKEN" ${url}`, "the command")}
<p class="small"><a href="/tokens/new">Create a token</a> with the scope <code>readonly</code>.</p>`,
        { id: "follow" },
      )
    }`,
  };
}

function operationRow(hub: Hub, operation: Operation, spokes: HubOperationsProps["spokes"]): Markup {
  const { id, kind, state, spokeId, createdAt, error } = operation;
  const spoke = spokeId === null ? null : spokes.get(spokeId);
  return markup`<li id="${id}"><span class="name">${
    spoke
      ? markup`<a class="cover" href="/spokes/${spoke.id}/operations/${id}">${ui.humanize(kind)}</a>`
      : ui.humanize(kind)
  } <span class="tiny soft">${spokeId === null ? hub.name : spoke?.displayName ?? "Removed spoke"}</span></span>
${
    isUnfinishedOperation(operation)
      ? progressBar(operation)
      : markup`<span class="small soft">${error ? `${error.message}. ` : ""}<span class="tiny">${
        ui.renderTime(createdAt)
      }</span></span>`
  }${ui.stateBadge(state)}</li>`;
}
