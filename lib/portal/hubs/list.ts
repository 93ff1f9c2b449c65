/** Renders the list of hubs with spoke counts, and a panel with the unhealthy spokes. */
import { formatCount } from "#lib/base/text.ts";
import type { ListPage } from "#lib/drivers/db/pages.ts";
import { type Markup, markup } from "#lib/http/page.ts";
import { icon } from "#lib/portal/components/icons.ts";
import { filterOptions, renderFilterForm } from "#lib/portal/components/forms.ts";
import * as ui from "#lib/portal/components/parts.ts";
import { isUnfinishedOperation, progressBar } from "#lib/portal/components/progress.ts";
import type { CurrentUser, PageView } from "#lib/portal/components/view.ts";
import type { FleetOverview, Hub, OverviewHistory, Spoke } from "#lib/portal/components/api-types.ts";
import { historyPanel } from "#lib/portal/hubs/history.ts";
import { HUB_STATES } from "#lib/model/states.ts";

export const HUBS_PER_PAGE = 50;

export interface HubListProps {
  readonly me: CurrentUser;
  readonly hubs: ListPage<Hub>;
  readonly overview: FleetOverview;
  /** Null if the list is filtered, or not at its first page. */
  readonly history: OverviewHistory | null;
  /** Spokes that failed or are degraded. */
  readonly unhealthy: readonly Spoke[];
  readonly query: { readonly q?: string | undefined; readonly state?: string | undefined };
}

export function hubsView({ me, hubs, overview, history, unhealthy, query }: HubListProps): PageView {
  const isFiltered = query.q !== undefined || query.state !== undefined;
  return {
    title: "Hubs",
    section: "hubs",
    actions: me.role === "operator"
      ? markup`<a class="button main" href="/hubs/new" data-create>New hub</a>`
      : ui.linkButton(["Request a hub", "/requests/new"]),
    poll: 10,
    body: markup`${fleetSummary(overview)}
<div id="outdated" data-live>${outdatedNotice(overview.outdated, me)}</div>
<div id="problems" data-live>${unhealthy.length > 0 ? unhealthyPanel(unhealthy) : ""}</div>
${
      renderFilterForm("/hubs", [
        { name: "q", label: "Search", type: "search", value: query.q, placeholder: "Name or slug" },
        { name: "state", label: "State", value: query.state, options: STATE_OPTIONS },
      ])
    }
<div id="hubs" data-live>${
      hubs.items.length > 0
        ? markup`<ul class="list hubs">${hubs.items.map((hub) => hubRow(hub, overview))}</ul>`
        : isFiltered
        ? ui.emptyState("No matching hubs", "Change the search or show all hubs.", ui.linkButton(["All hubs", "/hubs"]))
        : firstHub(me)
    }</div>
${ui.nextPageLink("/hubs", hubs.next, query)}${history && overview.spokes.total > 0 ? historyPanel(history) : ""}`,
  };
}

const STATE_OPTIONS = filterOptions(HUB_STATES.filter((state) => state !== "removed"));

function firstHub({ role }: CurrentUser): Markup {
  return role === "operator"
    ? ui.emptyState(
      "No hubs yet",
      "A hub groups the Moodle sites of one organisation. Create the first hub.",
      ui.linkButton(["New hub", "/hubs/new"], "main"),
    )
    : ui.emptyState(
      "No hubs yet",
      "You do not administer any hubs. Request a hub, and an operator will decide.",
      ui.linkButton(["Request a hub", "/requests/new"], "main"),
    );
}

/** Renders the number of spokes per state in all hubs or in one, each with a link to its list, the job queue, restore tests and, for operators, the site templates. */
export function fleetSummary({ spokes, queue, templates }: FleetOverview, hub?: string): Markup {
  const { total, byState, degraded } = spokes;
  const { active = 0, provisioning = 0, failed = 0, suspended = 0 } = byState;
  const spokesPath = (query: Readonly<Record<string, string>>) =>
    ui.appendQuery("/spokes", { federationId: hub, ...query });
  const counts: readonly (readonly [number, string, Markup | string, href: string])[] = [
    [total, "Spokes", "", spokesPath({})],
    [active, "Active", "", spokesPath({ state: "active" })],
    [provisioning, "Installing", "", spokesPath({ state: "provisioning" })],
    [failed, "Failed", failed > 0 ? markup`<i class="bad">${icon("cross")}</i>` : "", spokesPath({ state: "failed" })],
    [
      degraded,
      "Degraded",
      degraded > 0 ? markup`<i class="warn">${icon("warning")}</i>` : "",
      spokesPath({ state: "active", health: "degraded" }),
    ],
    [suspended, "Suspended", "", spokesPath({ state: "suspended" })],
    [queue.queued, queueLabel(queue), "", ui.appendQuery("/operations", { federationId: hub, state: "unfinished" })],
  ];
  return markup`<ul class="counts" id="fleet" data-live aria-label="Summary">${
    counts.map(([count, what, sign, href]) =>
      markup`<li><a href="${href}"><b class="${
        count === 0 ? "none" : ""
      }">${count} ${sign}</b> <span>${what}</span></a></li>`
    )
  }</ul><div id="restore-tests" data-live>${restoreTestSummary(spokes)}</div>
<div id="templates" data-live>${templates ? templateLine(templates) : ""}</div>`;
}

/** Says how many sites have an older blueprint. Only operators can update them. */
function outdatedNotice({ spokes, more }: FleetOverview["outdated"], { role }: CurrentUser): Markup | string {
  if (spokes === 0) return "";
  const count = more
    ? `More than ${spokes.toLocaleString("en")} sites are`
    : spokes === 1
    ? "1 site is"
    : `${spokes} sites are`;
  return markup`<div class="callout with-action"><p><b><a href="/spokes?outdated=true">${count} on an older blueprint.</a></b> ${
    role === "operator"
      ? "A rollout applies the current one, wave by wave."
      : "They keep working. An operator can apply the current one."
  }</p>${
    role === "operator" ? ui.linkButton(["Plan the rollout", "/rollouts/new?action=reapply&outdated=yes"], "main") : ""
  }</div>`;
}

function templateLine(templates: NonNullable<FleetOverview["templates"]>): Markup | string {
  const of = (wanted: string) => templates.filter(({ state }) => state === wanted);
  const ready = of("ready"), creating = of("creating").length, failed = of("failed");
  if (ready.length + creating + failed.length === 0) return "";
  const versions = [...new Set(ready.map(({ lmsVersion }) => lmsVersion))].join(", ");
  const words = [
    ...(ready.length > 0 ? [`Template ready for ${versions}: new spokes start in seconds`] : []),
    ...(creating > 0 ? [`Templates being created: ${creating}`] : []),
  ];
  return markup`<p class="small soft">${words.join(". ")}${words.length > 0 ? ". " : ""}${
    failed.map(({ lmsVersion, cluster, error }) =>
      markup`<b class="bad">${icon("cross")} No template for ${lmsVersion} in ${cluster}: ${error}</b> `
    )
  }</p>`;
}

function restoreTestSummary({ unverified, oldestVerifiedAt }: FleetOverview["spokes"]): Markup | string {
  if (unverified === 0 && oldestVerifiedAt === null) return "";
  const failing = unverified === 1
    ? "The newest backup of 1 spoke failed the restore test"
    : `The newest backups of ${unverified} spokes failed the restore test`;
  return markup`<p class="small soft restore-tests">${
    oldestVerifiedAt === null ? "" : markup`Least recently tested spoke: ${ui.renderTime(oldestVerifiedAt)}. `
  }${unverified > 0 ? markup`<b class="bad">${icon("cross")} ${failing}.</b>` : ""}</p>`;
}

function queueLabel({ running, oldestWaitSeconds }: FleetOverview["queue"]): string {
  const wait = oldestWaitSeconds === null ? "" : `, longest wait ${ui.formatDuration(oldestWaitSeconds)}`;
  return `Queued, ${running} running${wait}`;
}

function unhealthyPanel(spokes: readonly Spoke[]): Markup {
  return ui.panel(
    "Needs attention",
    markup`<ul class="list plain">${
      spokes.map(({ id, displayName, domain, state, health, stateReason }) =>
        markup`<li id="trouble-${id}"><span class="name"><a class="cover" href="/spokes/${id}">${displayName}</a><span class="tiny soft">${domain}</span></span>
<span class="small">${stateReason ?? "Some parts of the site do not respond"}</span>${
          ui.stateBadge(state, health)
        }</li>`
      )
    }</ul>`,
    { id: "troubled" },
  );
}

function hubRow(hub: Hub, { hubs }: FleetOverview): Markup {
  const { id, name, slug, state, operation, createdAt } = hub;
  const here = hubs.find(({ federationId }) => federationId === id);
  return markup`<li id="${id}"><span class="name"><a class="cover" href="/hubs/${id}">${name}</a><span class="tiny soft">${slug}</span></span>
${
    isUnfinishedOperation(operation)
      ? progressBar(operation)
      : markup`<span class="marks">${here ? stateCounts(here) : ""}</span>`
  }
<span class="tiny soft created">Created ${ui.renderTime(createdAt)}</span>${ui.stateBadge(state)}</li>`;
}

function stateCounts({ total, byState, degraded }: FleetOverview["hubs"][number]): Markup {
  const { active = 0, provisioning = 0, failed = 0 } = byState;
  return markup`<span class="small">${formatCount(total, "spoke")}</span> ${
    active > 0 ? ui.badge("good", "dot", `${active} active`) : ""
  } ${provisioning > 0 ? ui.badge("info", "work", `${provisioning} installing`) : ""} ${
    failed > 0 ? ui.badge("bad", "cross", `${failed} failed`) : ""
  } ${degraded > 0 ? ui.badge("warn", "warning", `${degraded} degraded`) : ""}`;
}
