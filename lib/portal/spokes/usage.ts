/** Renders the usage of a spoke: the latest values, a chart of its storage, and the same as a table. */
import { STORAGE_THRESHOLDS } from "#lib/domains/usage/storage.ts";
import { formatBytes } from "#lib/domains/usage/words.ts";
import { type Markup, markup } from "#lib/http/page.ts";
import type { HubUsage, SpokeUsage } from "#lib/portal/components/api-types.ts";
import { timeChart } from "#lib/portal/components/chart.ts";
import * as ui from "#lib/portal/components/parts.ts";

/** The periods that users can choose, in days. */
const PERIODS: readonly (readonly [days: number, text: string])[] = [[2, "2 days"], [30, "30 days"], [365, "1 year"]];
export const DEFAULT_PERIOD = "30";

type Amounts = Pick<HubUsage, "filesUsed" | "filesSize" | "databaseUsed" | "databaseSize">;

export function usagePanel(usage: SpokeUsage, days: string): Markup {
  const { spokeId, measuredAt, tasksAt, fullAt, fullestDisk, samples } = usage;
  const body = measuredAt === null
    ? markup`<p class="small soft">The site has not reported its usage yet. It does so about every 15 minutes.</p>`
    : markup`${
      ui.definitionList([
        ["Files", formatUsed(usage.filesUsed, usage.filesSize)],
        ["Database", formatUsed(usage.databaseUsed, usage.databaseSize)],
        fullAt ? ["Full at the present growth", markup`${ui.renderTime(fullAt)} (${fullestDisk})`] : null,
        ["Users", formatUsers(usage)],
        ["Courses", formatCount(usage.courses)],
        ["Scheduled tasks succeeded", ui.renderTime(tasksAt, "not known yet")],
        ["Failing tasks", describeFailingTasks(usage)],
        usage.tasksWaitingSince ? ["A task waits since", ui.renderTime(usage.tasksWaitingSince)] : null,
        ["Moodle's checks", describeChecks(usage)],
        ["Restarts", formatRestarts(samples)],
        ["All PHP workers busy", describeBusyWorkers(usage)],
        ["Measured", ui.renderTime(measuredAt)],
      ])
    }
${samples.length === 0 ? "" : storageChart(usage)}`;
  return ui.panel("Usage", body, {
    id: "usage",
    live: true,
    actions: markup`<nav class="periods small" aria-label="Period">${
      PERIODS.map(([number, text]) =>
        markup`<a href="/spokes/${spokeId}?days=${number}#usage" ${
          String(number) === days ? markup`aria-current="true"` : ""
        }>${text}</a>`
      )
    }</nav>`,
  });
}

function storageChart({ samples, step }: SpokeUsage): Markup {
  const heads = ["Time", "Files", "Database", "Users", "Active", "Courses", "Restarts"];
  return markup`${
    timeChart({
      title: "Storage used",
      times: samples.map(({ at }) => at),
      lines: [
        { name: "Files", values: samples.map(({ filesUsed, filesSize }) => percentOf(filesUsed, filesSize)) },
        { name: "Database", values: samples.map((each) => percentOf(each.databaseUsed, each.databaseSize)) },
      ],
    })
  }
<details><summary class="small">Show as a table</summary>${
    ui.dataTable(
      `Usage by ${step}`,
      heads,
      samples.toReversed().map((sample) => [
        ui.renderTime(sample.at),
        formatUsed(sample.filesUsed, sample.filesSize),
        formatUsed(sample.databaseUsed, sample.databaseSize),
        formatCount(sample.users),
        formatCount(sample.activeUsers),
        formatCount(sample.courses),
        String(sample.restarts),
      ]),
    )
  }</details>`;
}

/** Renders the sums of a hub's spokes. Empty until a spoke has reported its usage. */
export function hubUsageSummary(usage: HubUsage | null): Markup {
  if (!usage || usage.measuredAt === null) return markup`<div id="usage" data-live></div>`;
  const { spokes, fullSpokes, filesUsed, databaseUsed, users, activeUsers, courses } = usage;
  const fullest = ui.appendQuery("/spokes", {
    federationId: usage.federationId,
    minStoragePercent: String(STORAGE_THRESHOLDS[0]),
    sort: "storage",
  });
  const counts: readonly (readonly [value: string, label: string, href?: string])[] = [
    [formatBytes((filesUsed ?? 0) + (databaseUsed ?? 0)), `Storage used of ${formatBytes(sizeOf(usage))}`],
    [formatNumber(fullSpokes), `80% full or more, of ${formatNumber(spokes)} spokes`, fullest],
    [formatCount(users), "Users"],
    [formatCount(activeUsers), "Active in 30 days"],
    [formatCount(courses), "Courses"],
  ];
  return markup`<ul class="counts" id="usage" data-live aria-label="Usage">${
    counts.map(([value, label, href]) => {
      const text = markup`<b>${value}</b> <span>${label}</span>`;
      return markup`<li>${href ? markup`<a href="${href}">${text}</a>` : text}</li>`;
    })
  }</ul>`;
}

function sizeOf({ filesSize, databaseSize }: Amounts): number {
  return (filesSize ?? 0) + (databaseSize ?? 0);
}

function percentOf(used: number | null, size: number | null): number | null {
  return used === null || size === null || size === 0 ? null : 100 * used / size;
}

function formatUsed(used: number | null, size: number | null): string {
  const percent = percentOf(used, size);
  return percent === null ? "unknown" : `${formatBytes(used!)} of ${formatBytes(size!)} (${Math.floor(percent)}%)`;
}

function formatUsers({ users, activeUsers }: SpokeUsage): string {
  return `${formatCount(users)}, ${formatCount(activeUsers)} active in 30 days`;
}

function describeFailingTasks({ failingTasks, failingTaskNames: names }: SpokeUsage): string {
  if (failingTasks === null) return "unknown";
  if (failingTasks === 0) return "none";
  const more = failingTasks - names.length;
  return `${formatNumber(failingTasks)}: ${names.join(", ")}${more > 0 ? ` and ${formatNumber(more)} more` : ""}`;
}

function describeChecks({ failedChecks, checkedAt }: SpokeUsage): Markup | string {
  if (checkedAt === null || failedChecks === null) return "unknown";
  const result = failedChecks.length === 0 ? "passed" : `failed: ${failedChecks.join(", ")}`;
  return markup`${result} (${ui.renderTime(checkedAt)})`;
}

function formatRestarts(samples: SpokeUsage["samples"]): string {
  const restarts = samples.reduce((sum, each) => sum + each.restarts, 0);
  const kills = samples.reduce((sum, each) => sum + each.oomKills, 0);
  return `${restarts} in this period, ${kills} for lack of memory`;
}

function describeBusyWorkers({ workersBusyAt, samples }: SpokeUsage): Markup | string {
  if (workersBusyAt === null) return "never";
  const times = samples.reduce((sum, each) => sum + each.workersBusy, 0);
  return markup`${formatNumber(times)} times in this period, last ${ui.renderTime(workersBusyAt)}`;
}

function formatCount(count: number | null): string {
  return count === null ? "unknown" : formatNumber(count);
}

function formatNumber(count: number): string {
  return count.toLocaleString("en");
}
