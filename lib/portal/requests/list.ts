/** Renders the list of requests to create hubs. */
import { type Markup, markup } from "#lib/http/page.ts";
import { filterOptions, renderFormField } from "#lib/portal/components/forms.ts";
import type { IconName } from "#lib/portal/components/icons.ts";
import {
  appendQuery,
  badge,
  type BadgeTone,
  emptyState,
  humanize,
  linkButton,
  nextPageLink,
  panel,
  renderTime,
} from "#lib/portal/components/parts.ts";
import { HUB_REQUEST_STATES } from "#lib/model/hub.ts";
import type { HubRequest, RestoreRequestItem } from "#lib/portal/components/api-types.ts";
import type { CurrentUser, PageView } from "#lib/portal/components/view.ts";

export const REQUESTS_PER_PAGE = 25;

interface RequestsProps {
  readonly me: CurrentUser;
  readonly requests: readonly HubRequest[];
  /** The cursor for the next page; null on the last page. */
  readonly next: string | null;
  /** Restore requests that are still open; empty unless the user is an operator. */
  readonly restores: readonly RestoreRequestItem[];
  readonly query: { readonly state?: string | undefined };
}

export function requestsView({ me, requests, next, restores, query }: RequestsProps): PageView {
  return {
    title: "Hub requests",
    section: "requests",
    lead: me.role === "operator"
      ? "Approve or reject each request. The requester gets an email and, if approved, becomes the hub's admin."
      : "An operator approves or rejects your request. If it is approved, you become the hub's admin.",
    actions: markup`<a class="button main" href="/requests/new" data-create>Request a hub</a>`,
    poll: 15,
    body: markup`<div id="restores" data-live>${
      restoreRequestsPanel(restores)
    }</div><form class="filters" action="/requests">${
      renderFormField({ name: "state", label: "State", value: query.state, options: filterOptions(HUB_REQUEST_STATES) })
    }<button class="quiet">Filter</button></form>
<div id="requests" data-live>${
      requests.length > 0
        ? markup`<ul class="list plain">${requests.map((request) => requestRow(request, me))}</ul>`
        : query.state === undefined
        ? noRequests(me)
        : emptyState(
          "No matching requests",
          "Change the filter or show all requests.",
          linkButton(["All requests", "/requests"]),
        )
    }</div>
${nextPageLink(next && appendQuery("/requests", { ...query, before: next }))}`,
  };
}

function restoreRequestsPanel(restores: readonly RestoreRequestItem[]): Markup | string {
  if (restores.length === 0) return "";
  return panel(
    "Restore requests",
    markup`<ul class="list plain">${
      restores.map(({ id, spokeId, backupId, reason, requestedBy, createdAt }) =>
        markup`<li id="${id}"><span class="name"><a class="cover" href="/spokes/${spokeId}/backups#${id}">${requestedBy.email}</a><span class="tiny soft">${backupId}</span></span>
<span class="small soft">${shorten(reason)}</span><span class="tiny soft">${renderTime(createdAt)}</span></li>`
      )
    }</ul>`,
    { id: "open-restores" },
  );
}

function noRequests({ role }: CurrentUser): Markup {
  return role === "operator"
    ? emptyState("No hub requests yet", "New requests appear here, and you will get an email about each request.")
    : emptyState(
      "No hub requests yet",
      "A hub groups the Moodle sites of one organisation.",
      linkButton(["Request a hub", "/requests/new"], "main"),
    );
}

function requestRow(
  { id, name, slug, reason, state, requestedBy, createdAt }: HubRequest,
  { role }: CurrentUser,
): Markup {
  return markup`<li id="${id}"><span class="name"><a class="cover" href="/requests/${id}">${name}</a><span class="tiny soft">${slug}</span></span>
<span class="small soft">${role === "operator" ? `${requestedBy.email} · ` : ""}${renderTime(createdAt)}${
    reason === null ? "" : markup`<br>${shorten(reason)}`
  }</span>${requestBadge(state)}</li>`;
}

function shorten(text: string): string {
  return text.length > 120 ? `${text.slice(0, 119)}…` : text;
}

const STATES: Readonly<Record<HubRequest["state"], readonly [BadgeTone, IconName]>> = {
  pending: ["warn", "wait"],
  approved: ["good", "done"],
  rejected: ["bad", "cross"],
  withdrawn: ["still", "minus"],
};

export function requestBadge(state: HubRequest["state"]): Markup {
  return badge(...STATES[state], humanize(state));
}
