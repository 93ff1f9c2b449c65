/** Requests for hubs: what waits for a decision, and what became of the others. */
import { type Markup, markup } from "#lib/http/page.ts";
import { choice } from "#lib/portal/components/forms.ts";
import type { Icon } from "#lib/portal/components/icons.ts";
import {
  badge,
  empty,
  instant,
  linkButton,
  older,
  panel,
  titled,
  type Tone,
  withQuery,
} from "#lib/portal/components/parts.ts";
import type { HubRequest, RequestedRestore } from "#lib/portal/components/told.ts";
import type { Me, View } from "#lib/portal/components/view.ts";

export const REQUESTS_A_PAGE = 25;

interface RequestsShown {
  readonly me: Me;
  readonly requests: readonly HubRequest[];
  /** Where the next page begins; null on the last one. */
  readonly next: string | null;
  /** Open requests for restores, for operators. */
  readonly restores: readonly RequestedRestore[];
  readonly query: { readonly state?: string | undefined };
}

export function requestsView({ me, requests, next, restores, query }: RequestsShown): View {
  return {
    title: "Requests for hubs",
    section: "requests",
    lead: me.role === "operator"
      ? "You decide them. Who asked becomes the hub's admin, and is told by mail."
      : "You ask, an operator decides, and you become the hub's admin.",
    deeds: markup`<a class="button main" href="/requests/new" data-create>Ask for a hub</a>`,
    poll: 15,
    body: markup`<div id="restores" data-live>${restoresOf(restores)}</div><form class="filters" action="/requests">${
      choice({
        name: "state",
        label: "State",
        value: query.state,
        options: [["", "Any"], ...Object.keys(STATES).map((state) => [state, titled(state)] as const)],
      })
    }<button class="quiet">Show</button></form>
<div id="requests" data-live>${
      requests.length > 0
        ? markup`<ul class="list plain">${requests.map((request) => requestRow(request, me))}</ul>`
        : query.state === undefined
        ? nothingAsked(me)
        : empty("No request is in that state", "See all of them.", linkButton(["All requests", "/requests"]))
    }</div>
${older(next && withQuery("/requests", { ...query, before: next }))}`,
  };
}

function restoresOf(restores: readonly RequestedRestore[]): Markup | string {
  if (restores.length === 0) return "";
  return panel(
    "Requested restores",
    markup`<ul class="list plain">${
      restores.map(({ id, spokeId, backupId, reason, requestedBy, createdAt }) =>
        markup`<li id="${id}"><span class="name"><a class="cover" href="/spokes/${spokeId}/backups#${id}">${requestedBy.email}</a><span class="tiny soft">${backupId}</span></span>
<span class="small soft">${short(reason)}</span><span class="tiny soft">${instant(createdAt)}</span></li>`
      )
    }</ul>`,
    { id: "open-restores" },
  );
}

function nothingAsked({ role }: Me): Markup {
  return role === "operator"
    ? empty("Nobody has asked for a hub", "Requests come here, and you are told of each by mail.")
    : empty(
      "You have not asked for a hub",
      "A hub holds the Moodle sites of one organisation.",
      linkButton(["Ask for a hub", "/requests/new"], "main"),
    );
}

function requestRow({ id, name, slug, reason, state, requestedBy, createdAt }: HubRequest, { role }: Me): Markup {
  return markup`<li id="${id}"><span class="name"><a class="cover" href="/requests/${id}">${name}</a><span class="tiny soft">${slug}</span></span>
<span class="small soft">${role === "operator" ? `${requestedBy.email} · ` : ""}${instant(createdAt)}${
    reason === null ? "" : markup`<br>${short(reason)}`
  }</span>${requestBadge(state)}</li>`;
}

function short(text: string): string {
  return text.length > 120 ? `${text.slice(0, 119)}…` : text;
}

const STATES: Readonly<Record<HubRequest["state"], readonly [Tone, Icon]>> = {
  pending: ["warn", "wait"],
  approved: ["good", "done"],
  rejected: ["bad", "cross"],
  withdrawn: ["still", "minus"],
};

export function requestBadge(state: HubRequest["state"]): Markup {
  return badge(...STATES[state], titled(state));
}
