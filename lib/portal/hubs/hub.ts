/** A hub: its spokes as they are, and as they change. */
import { type Markup, markup } from "#lib/http/page.ts";
import { choice, field } from "#lib/portal/components/forms.ts";
import {
  empty,
  linkButton,
  notice,
  older,
  postButton,
  stateBadge,
  titled,
  withQuery,
} from "#lib/portal/components/parts.ts";
import { isLive, progressOf } from "#lib/portal/components/progress.ts";
import type { Follow, View, Way } from "#lib/portal/components/view.ts";
import type { Glance, Hub, Spoke } from "#lib/portal/components/told.ts";
import { fleetOf } from "#lib/portal/hubs/list.ts";
import { SPOKE_ACTIONS, SPOKE_OPERATIONS, type SpokeActionName } from "#lib/operations/table.ts";
import { SPOKE_STATES } from "#lib/operations/states.ts";

export const SPOKES_A_PAGE = 50;

export interface HubShown {
  readonly hub: Hub;
  readonly overview: Glance;
  readonly spokes: readonly Spoke[];
  readonly query: {
    readonly q?: string | undefined;
    readonly state?: string | undefined;
    readonly health?: string | undefined;
  };
  /** Where the next page begins; null on the last one. */
  readonly next: string | null;
  /** Whether the caller runs the hub, rather than some of its spokes. */
  readonly runs: boolean;
  readonly operates: boolean;
  readonly follow: Follow;
}

export function hubView({ hub, overview, spokes, query, next, runs, operates, follow }: HubShown): View {
  const { id, operation, stateReason, state } = hub;
  const searched = Object.values(query).some((each) => each !== undefined);
  return {
    ...hubHead(hub, runs, `/hubs/${id}`),
    deeds: runs ? markup`<a class="button main" href="/hubs/${id}/spokes/new" data-create>Add a spoke</a>` : "",
    follow,
    body: markup`<div id="hub" data-live>${isLive(operation) ? progressOf(operation) : ""}${
      state === "failed"
        ? notice(
          "bad",
          markup`<p><b>${stateReason ?? "It could not be made"}.</b></p>${
            postButton(`/hubs/${id}/retry`, "Try again", { look: "main" })
          }`,
        )
        : ""
    }</div>
${fleetOf(overview)}
<form class="filters" role="search" action="/hubs/${id}">
${field({ name: "q", label: "Search", type: "search", value: query.q, placeholder: "Name, slug or domain" })}
${choice({ name: "state", label: "State", value: query.state, options: [["", "Any"], ...STATES] })}
${
      choice({
        name: "health",
        label: "Health",
        value: query.health,
        options: [["", "Any"], ["healthy", "Healthy"], ["degraded", "Degraded"]],
      })
    }
<button class="quiet">Search</button></form>
<form method="post" action="/hubs/${id}/actions"><div id="spokes" data-live>${
      spokes.length > 0
        ? markup`<ul class="list spokes">${spokes.map((spoke) => spokeRow(spoke, runs))}</ul>`
        : nothing(hub, searched, runs)
    }</div>${runs ? bulk(operates) : ""}</form>
${older(next && withQuery(`/hubs/${id}`, { ...query, before: next }))}`,
  };
}

const STATES = SPOKE_STATES.filter((state) => state !== "removed").map((state) => [state, titled(state)] as const);

/** What all pages of a hub begin with. */
export function hubHead(
  { id, name, state }: Hub,
  runs: boolean,
  here: string,
): Pick<View, "title" | "section" | "crumbs" | "badge" | "tabs"> {
  const of = (text: string, path: string): Way => [text, `/hubs/${id}${path}`];
  const more = [of("Members", "/members"), of("Billing", "/billing"), of("Settings", "/settings")];
  return {
    title: name,
    section: "hubs",
    crumbs: [["Hubs", "/hubs"]],
    badge: stateBadge(state),
    tabs: { links: [of("Spokes", ""), of("Events", "/events"), ...(runs ? more : [])], here },
  };
}

function spokeRow(spoke: Spoke, runs: boolean): Markup {
  const { id, displayName, domain, size, lmsVersion, state, health, operation, stateReason, maintenance } = spoke;
  return markup`<li id="${id}">${
    runs
      ? markup`<input class="above" type="checkbox" name="spoke:${id}" value="on" aria-label="Choose ${displayName}">`
      : ""
  }<span class="name"><a class="cover" href="/spokes/${id}">${displayName}</a><span class="tiny soft">${domain}</span></span>
${
    isLive(operation)
      ? progressOf(operation)
      : markup`<span class="small soft">${
        stateReason ?? (maintenance ? "In maintenance" : markup`${size} · Moodle ${lmsVersion}`)
      }</span>`
  }${stateBadge(state, health)}</li>`;
}

function bulk(operates: boolean): Markup {
  return markup`<div class="filters bulk"><label class="small"><input type="checkbox" data-ticks=".spokes input" hidden> Choose all on this page</label>
${
    choice({
      name: "action",
      label: "Do to all that are chosen",
      options: SPOKE_ACTIONS.filter((each) => !NEEDS_MORE.includes(each) && (operates || !isForOperators(each)))
        .map((each) => [each, titled(each)]),
    })
  }
<button class="quiet">Go on</button></div>`;
}

function isForOperators(action: SpokeActionName): boolean {
  return action !== "retry" && "forOperators" in SPOKE_OPERATIONS[action];
}

/** Actions that need to be told more than whom they are about. */
const NEEDS_MORE: readonly string[] = ["upgrade", "resize", "reset-admin-password"];

function nothing({ id }: Hub, searched: boolean, runs: boolean): Markup {
  if (searched) {
    return empty(
      "No spoke fits",
      "Search for something else, or see all of them.",
      linkButton(["All spokes", `/hubs/${id}`]),
    );
  }
  return runs
    ? empty(
      "No spoke yet",
      "A spoke is one Moodle site with a database of its own. The first takes a few minutes.",
      linkButton(["Add a spoke", `/hubs/${id}/spokes/new`], "main"),
    )
    : empty("No spoke yet", "None here is yours. Ask whoever runs this hub.");
}
