/** All hubs that somebody sees, at a glance; for an operator the fleet, and what fails in it first. */
import { type Markup, markup } from "#lib/http/page.ts";
import { icon } from "#lib/portal/components/icons.ts";
import { choice, field } from "#lib/portal/components/forms.ts";
import {
  badge,
  empty,
  instant,
  linkButton,
  older,
  panel,
  span,
  stateBadge,
  titled,
  withQuery,
} from "#lib/portal/components/parts.ts";
import { isLive, progressOf } from "#lib/portal/components/progress.ts";
import type { Me, View } from "#lib/portal/components/view.ts";
import type { Glance, Hub, Spoke } from "#lib/portal/components/told.ts";
import { FEDERATION_STATES } from "#lib/domains/federations/state.ts";

export const HUBS_A_PAGE = 50;

export interface HubsShown {
  readonly me: Me;
  readonly hubs: readonly Hub[];
  readonly overview: Glance;
  /** Spokes that need somebody: failed ones, and degraded ones. */
  readonly troubled: readonly Spoke[];
  readonly query: { readonly q?: string | undefined; readonly state?: string | undefined };
  /** Where the next page begins; null on the last one. */
  readonly next: string | null;
}

export function hubsView({ me, hubs, overview, troubled, query, next }: HubsShown): View {
  const searched = query.q !== undefined || query.state !== undefined;
  return {
    title: "Hubs",
    section: "hubs",
    deeds: me.role === "operator"
      ? markup`<a class="button main" href="/hubs/new" data-create>New hub</a>`
      : linkButton(["Ask for a hub", "/requests/new"]),
    poll: 10,
    body: markup`${fleetOf(overview)}
<div id="trouble" data-live>${troubled.length > 0 ? troubleOf(troubled) : ""}</div>
<form class="filters" role="search" action="/hubs">
${field({ name: "q", label: "Search", type: "search", value: query.q, placeholder: "Name or slug" })}
${choice({ name: "state", label: "State", value: query.state, options: [["", "Any"], ...STATES] })}
<button class="quiet">Search</button></form>
<div id="hubs" data-live>${
      hubs.length > 0
        ? markup`<ul class="list hubs">${hubs.map((hub) => hubRow(hub, overview))}</ul>`
        : searched
        ? empty("No hub fits", "Search for something else, or see all of them.", linkButton(["All hubs", "/hubs"]))
        : firstHub(me)
    }</div>
${older(next && withQuery("/hubs", { ...query, before: next }))}`,
  };
}

const STATES = FEDERATION_STATES.filter((state) => state !== "removed").map((state) => [state, titled(state)] as const);

function firstHub({ role }: Me): Markup {
  return role === "operator"
    ? empty(
      "No hub yet",
      "A hub holds the sites of one organisation. Make the first.",
      linkButton(["New hub", "/hubs/new"], "main"),
    )
    : empty(
      "No hub yet",
      "You administer none. Ask for one, and an operator decides.",
      linkButton(["Ask for a hub", "/requests/new"], "main"),
    );
}

/**
 * How many spokes are in which state, how long the queue is, and how far back the proofs of backups go; for an operator also
 * what new sites are made from.
 */
export function fleetOf({ spokes, queue, templates }: Glance): Markup {
  const { total, byState, degraded } = spokes;
  const { active = 0, provisioning = 0, failed = 0, suspended = 0 } = byState;
  const counts: readonly (readonly [number, string, Markup | string])[] = [
    [total, "Spokes", ""],
    [active, "Active", ""],
    [provisioning, "Installing", ""],
    [failed, "Failed", failed > 0 ? markup`<i class="bad">${icon("cross")}</i>` : ""],
    [degraded, "Degraded", degraded > 0 ? markup`<i class="warn">${icon("warning")}</i>` : ""],
    [suspended, "Suspended", ""],
    [queue.queued, queueWords(queue), ""],
  ];
  return markup`<ul class="counts" id="fleet" data-live aria-label="At a glance">${
    counts.map(([count, what, sign]) =>
      markup`<li><b class="${count === 0 ? "none" : ""}">${count} ${sign}</b><span>${what}</span></li>`
    )
  }</ul><div id="proofs" data-live>${proofsOf(spokes)}</div>
<div id="templates" data-live>${templates ? templatesOf(templates) : ""}</div>`;
}

function templatesOf(templates: NonNullable<Glance["templates"]>): Markup | string {
  const of = (wanted: string) => templates.filter(({ state }) => state === wanted);
  const ready = of("ready"), making = of("making").length, failed = of("failed");
  if (ready.length + making + failed.length === 0) return "";
  const versions = [...new Set(ready.map(({ lmsVersion }) => lmsVersion))].join(", ");
  const words = [
    ...(ready.length > 0 ? [`new sites of ${versions} are there in seconds`] : []),
    ...(making > 0 ? [`${making} being made`] : []),
  ];
  return markup`<p class="small soft">Templates: ${words.join("; ")}${words.length > 0 ? ". " : ""}${
    failed.map(({ lmsVersion, cluster, error }) =>
      markup`<b class="bad">${icon("cross")} None of ${lmsVersion} in ${cluster}: ${error}</b> `
    )
  }</p>`;
}

function proofsOf({ unproved, oldestProofAt }: Glance["spokes"]): Markup | string {
  if (unproved === 0 && oldestProofAt === null) return "";
  const failing = unproved === 1 ? "The newest backup of 1 spoke" : `The newest backups of ${unproved} spokes`;
  return markup`<p class="small soft proofs">${
    oldestProofAt === null ? "" : markup`Oldest proof of a backup: ${instant(oldestProofAt)}. `
  }${unproved > 0 ? markup`<b class="bad">${icon("cross")} ${failing} could not be restored.</b>` : ""}</p>`;
}

function queueWords({ running, oldestWaitSeconds }: Glance["queue"]): string {
  const wait = oldestWaitSeconds === null ? "" : `, longest ${span(oldestWaitSeconds)}`;
  return `Waiting${wait}; ${running} at work`;
}

function troubleOf(spokes: readonly Spoke[]): Markup {
  return panel(
    "Needs somebody",
    markup`<ul class="list plain">${
      spokes.map(({ id, displayName, domain, state, health, stateReason }) =>
        markup`<li id="trouble-${id}"><span class="name"><a class="cover" href="/spokes/${id}">${displayName}</a><span class="tiny soft">${domain}</span></span>
<span class="small">${stateReason ?? "Not all of it answers"}</span>${stateBadge(state, health)}</li>`
      )
    }</ul>`,
    { id: "troubled" },
  );
}

function hubRow(hub: Hub, { hubs }: Glance): Markup {
  const { id, name, slug, state, operation, createdAt } = hub;
  const here = hubs.find(({ federationId }) => federationId === id);
  return markup`<li id="${id}"><span class="name"><a class="cover" href="/hubs/${id}">${name}</a><span class="tiny soft">${slug}</span></span>
${isLive(operation) ? progressOf(operation) : markup`<span class="marks">${here ? marksOf(here) : ""}</span>`}
<span class="tiny soft made">Made ${instant(createdAt)}</span>${stateBadge(state)}</li>`;
}

function marksOf({ total, byState, degraded }: Glance["hubs"][number]): Markup {
  const { active = 0, provisioning = 0, failed = 0 } = byState;
  return markup`<span class="small">${total === 1 ? "1 spoke" : `${total} spokes`}</span> ${
    active > 0 ? badge("good", "dot", `${active} active`) : ""
  } ${provisioning > 0 ? badge("info", "work", `${provisioning} installing`) : ""} ${
    failed > 0 ? badge("bad", "cross", `${failed} failed`) : ""
  } ${degraded > 0 ? badge("warn", "warning", `${degraded} degraded`) : ""}`;
}
