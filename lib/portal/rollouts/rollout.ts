/** Renders rollouts: the list, and the page of one rollout with its waves. */
import { formatCount } from "#lib/base/text.ts";
import type { ListPage } from "#lib/drivers/db/pages.ts";
import { type Markup, markup } from "#lib/http/page.ts";
import type { RolloutDetails, RolloutItem } from "#lib/portal/components/api-types.ts";
import { filterOptions, renderFilterForm } from "#lib/portal/components/forms.ts";
import type { IconName } from "#lib/portal/components/icons.ts";
import * as ui from "#lib/portal/components/parts.ts";
import type { PageView } from "#lib/portal/components/view.ts";
import { describeRolloutAction, type RolloutSpokeState, WEEKDAYS } from "#lib/model/rollout.ts";
import { ROLLOUT_STATES, type RolloutState } from "#lib/model/states.ts";

export const ROLLOUTS_PER_PAGE = 25;
const REFRESH_INTERVAL = 5; // seconds

const BADGES: Readonly<Record<RolloutState | RolloutSpokeState, readonly [ui.BadgeTone, IconName]>> = {
  running: ["info", "work"],
  paused: ["warn", "pause"],
  completed: ["good", "done"],
  aborted: ["still", "minus"],
  waiting: ["still", "wait"],
  checking: ["info", "work"],
  succeeded: ["good", "done"],
  failed: ["bad", "cross"],
  skipped: ["still", "minus"],
};

function rolloutBadge(state: RolloutState | RolloutSpokeState): Markup {
  return ui.badge(...BADGES[state], ui.humanize(state));
}

interface RolloutsProps {
  readonly rollouts: ListPage<RolloutItem>;
  readonly query: { readonly state?: string | undefined };
}

export function rolloutsView({ rollouts: { items, next }, query }: RolloutsProps): PageView {
  return {
    title: "Rollouts",
    section: "rollouts",
    lead: "A rollout runs an action on many spokes, wave by wave, and pauses itself when spokes fail.",
    actions: markup`<a class="button main" href="/rollouts/new" data-create>Start a rollout</a>`,
    ...(items.some(({ state }) => state === "running") && { poll: REFRESH_INTERVAL }),
    body: markup`${
      renderFilterForm("/rollouts", [
        { name: "state", label: "State", value: query.state, options: filterOptions(ROLLOUT_STATES) },
      ])
    }<div id="rollouts" data-live>${
      items.length === 0
        ? ui.emptyState("No rollouts", "Rollouts upgrade, resize, reapply or restart many spokes.")
        : markup`<ul class="list people">${items.map(rolloutRow)}</ul>`
    }</div>${ui.nextPageLink("/rollouts", next, query)}`,
  };
}

function rolloutRow(rollout: RolloutItem): Markup {
  const { id, counts, state, createdAt } = rollout;
  return markup`<li id="${id}"><span class="name"><a class="cover" href="/rollouts/${id}">${
    formatRolloutAction(rollout)
  }</a><span class="tiny soft">${ui.renderTime(createdAt)}</span></span>
<span class="small">${counts.succeeded} of ${countChanged(rollout)} done</span>
<span class="small soft">${counts.failed === 0 ? "No failures" : `${counts.failed} failed`}</span>${
    rolloutBadge(state)
  }</li>`;
}

export function rolloutView(rollout: RolloutDetails): PageView {
  const { id, state, reason, note, counts } = rollout, path = `/rollouts/${id}`, about = formatRolloutAction(rollout);
  const isOver = state === "completed" || state === "aborted", isIdle = counts.running + counts.checking === 0;
  const button = (verb: string, text: string, variant: "main" | "quiet" | "danger" = "quiet", fields = {}) =>
    ui.renderPostButton(`${path}/${verb}`, text, { variant, about, fields });
  return {
    title: about,
    section: "rollouts",
    crumbs: [["Rollouts", "/rollouts"]],
    badge: rolloutBadge(state),
    lead: reason ?? note ?? "",
    actions: isOver
      ? ""
      : markup`${
        state === "running"
          ? button("pause", "Pause")
          : markup`${button("resume", counts.failed === 0 ? "Resume" : "Resume and try again", "main")}${
            counts.failed === 0 ? "" : button("resume", "Resume and skip failed spokes", "quiet", { failed: "skip" })
          }`
      }${button("abort", "Abort", "danger")}`,
    ...(!(state !== "running" && isIdle) && { poll: REFRESH_INTERVAL }),
    body: markup`${rulesPanel(rollout)}${spokesPanel(rollout)}`,
  };
}

function rulesPanel(rollout: RolloutDetails): Markup {
  const { counts, requestedBy, createdAt, finishedAt } = rollout;
  return ui.panel(
    "Progress",
    ui.definitionList([
      ["Done", `${counts.succeeded} of ${countChanged(rollout)} spokes`],
      ["Failed", String(counts.failed)],
      counts.skipped === 0 ? null : ["Skipped", String(counts.skipped)],
      ...describeRules(rollout),
      ["Requested by", requestedBy.email],
      ["Started", ui.renderTime(createdAt)],
      finishedAt === null ? null : ["Finished", ui.renderTime(finishedAt)],
    ]),
    { id: "progress", live: true },
  );
}

type Rules = Pick<RolloutItem, "canary" | "batch" | "maxUnavailable" | "maxFailures" | "window">;

/** Describes a rollout's rules as terms with values. */
export function describeRules({ canary, batch, maxUnavailable, maxFailures, window }: Rules) {
  const days = window && WEEKDAYS.filter((day) => window.days.includes(day)).map(ui.humanize).join(", ");
  return [
    ["Canary", canary.spokes === 0 ? "none" : `${formatSpokes(canary.spokes)}, watched for ${canary.minutes} min`],
    ["Spokes per wave", batch],
    ["Unavailable at the same time", `at most ${maxUnavailable} per cluster`],
    ["Pauses after", formatCount(maxFailures, "failure")],
    window && (["Time window", `${days}, ${window.from} to ${window.to}, ${window.timeZone}`] as const),
  ] as const;
}

function spokesPanel({ spokes }: RolloutDetails): Markup {
  const waves = [...new Set(spokes.map(({ wave }) => wave))].toSorted((a, b) => (a ?? Infinity) - (b ?? Infinity));
  const panels = waves.map((wave) => {
    const members = spokes.filter((each) => each.wave === wave);
    const rows = members.map(({ spokeId, domain, state, reason, operationId, endedAt }) => [
      markup`<a href="/spokes/${spokeId}">${domain}</a>`,
      rolloutBadge(state),
      operationId === null ? "" : markup`<a href="/spokes/${spokeId}/operations/${operationId}">Operation</a>`,
      endedAt === null ? "" : ui.renderTime(endedAt),
      reason ?? "",
    ]);
    const title = formatWaveTitle(wave);
    return ui.panel(title, ui.dataTable(`${title}: spokes`, ["Spoke", "State", "Operation", "Ended", "Reason"], rows), {
      id: `wave-${wave ?? "none"}`,
      live: true,
    });
  });
  return markup`${panels}`;
}

function formatWaveTitle(wave: number | null): string {
  if (wave === null) return "Spokes that the action cannot change";
  return wave === 0 ? "Canary" : `Wave ${wave}`;
}

export function formatSpokes(count: number): string {
  return formatCount(count, "spoke");
}

export function formatRolloutAction({ action, parameters }: Pick<RolloutItem, "action" | "parameters">): string {
  const text = describeRolloutAction(action, parameters);
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Returns the number of spokes that the rollout changes. */
function countChanged({ counts }: RolloutItem): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0) - counts.skipped;
}
