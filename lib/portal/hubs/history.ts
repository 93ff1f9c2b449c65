/** Renders the last days of the overview: installs, queue time, storage and failures, as charts and as a table. */
import { formatBytes } from "#lib/domains/usage/words.ts";
import { type Markup, markup } from "#lib/http/page.ts";
import type { OverviewHistory } from "#lib/portal/components/api-types.ts";
import { type ChartLine, type ChartScale, timeChart } from "#lib/portal/components/chart.ts";
import * as ui from "#lib/portal/components/parts.ts";
import { findHighest, roundUpBytes, roundUpCount, roundUpSeconds } from "#lib/portal/components/scale.ts";

export function historyPanel(history: OverviewHistory): Markup {
  const { samples, causes, failures, updatedAt } = history;
  return ui.panel(
    `Last ${samples.length} days`,
    markup`<div class="trends">${[installs, installTime, queueTime, storage].map((render) => render(history))}</div>
<div class="trends"><div><h3>Failures by cause</h3>${
      failures === 0
        ? markup`<p class="small soft">No operation failed in these days.</p>`
        : markup`<p class="small">${formatCount(failures, "operation")} failed</p>${causeList(causes, failures)}`
    }</div></div>
<details><summary class="small">Show as a table</summary>${historyTable(samples)}</details>${
      updatedAt ? markup`<p class="small soft">Counted every five minutes, last ${ui.renderTime(updatedAt)}.</p>` : ""
    }`,
    { id: "last-days" },
  );
}

function installs({ samples, installs: count }: OverviewHistory): Markup {
  const values = samples.map((sample) => sample.installs);
  return trend("Installs per day", {
    summary: formatCount(count, "site"),
    empty: count === 0 ? "No site was installed in these days." : null,
    samples,
    lines: [{ name: "Installs", values }],
    scale: { maximum: roundUpCount(findHighest(values)), format: String },
    hasBars: true,
  });
}

function installTime({ samples, installSeconds }: OverviewHistory): Markup {
  const values = samples.map((sample) => sample.installSeconds);
  return trend("Time to install", {
    summary: installSeconds === null ? "" : `${formatSeconds(installSeconds)} (median)`,
    empty: installSeconds === null ? "It is known once a site has been installed." : null,
    samples,
    lines: [{ name: "Median", values }],
    scale: { maximum: roundUpSeconds(findHighest(values)), format: formatSeconds },
  });
}

function queueTime({ samples, waitSeconds }: OverviewHistory): Markup {
  const slowest = samples.map((sample) => sample.waitSeconds95);
  return trend("Queue time", {
    summary: waitSeconds === null ? "" : `${formatSeconds(waitSeconds)} (median)`,
    empty: waitSeconds === null ? "No operation that a user requested has ended in these days." : null,
    samples,
    lines: [
      { name: "95th percentile", values: slowest },
      { name: "Median", values: samples.map((sample) => sample.waitSeconds) },
    ],
    scale: { maximum: roundUpSeconds(findHighest(slowest)), format: formatSeconds },
  });
}

function storage({ samples }: OverviewHistory): Markup {
  const files = samples.map(({ filesUsed }) => filesUsed), database = samples.map(({ databaseUsed }) => databaseUsed);
  const known = samples.flatMap((sample) => findUsed(sample) ?? []), first = known[0], last = known.at(-1);
  return trend("Storage used", {
    summary: last === undefined ? "" : `${formatBytes(last)}, ${formatGrowth(last - first!)}`,
    empty: last === undefined ? "No site has reported its usage yet." : null,
    samples,
    lines: [{ name: "Files", values: files }, { name: "Database", values: database }],
    scale: { maximum: roundUpBytes(findHighest([...files, ...database])), format: formatBytes },
  });
}

interface Trend {
  readonly summary: string;
  /** Why there is no chart. Null if there is one. */
  readonly empty: string | null;
  readonly samples: OverviewHistory["samples"];
  readonly lines: readonly ChartLine[];
  readonly scale: ChartScale;
  readonly hasBars?: boolean;
}

function trend(title: string, { summary, empty, samples, lines, scale, hasBars }: Trend): Markup {
  return markup`<div><h3>${title}</h3>${
    empty !== null ? markup`<p class="small soft">${empty}</p>` : markup`<p class="small">${summary}</p>${
      timeChart({
        title,
        times: samples.map(({ day }) => day),
        lines,
        scale,
        formatTime: formatDay,
        ...(hasBars && { hasBars }),
      })
    }`
  }</div>`;
}

function causeList(causes: OverviewHistory["causes"], failures: number): Markup {
  return markup`<ul class="causes small">${
    causes.map(({ code, count }) =>
      markup`<li><span>${
        ui.humanize(code)
      }</span><svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><rect width="${
        Math.round(1000 * count / failures) / 10
      }" height="10"/></svg><b>${count}</b></li>`
    )
  }</ul>`;
}

function historyTable(samples: OverviewHistory["samples"]): Markup {
  const seconds = (value: number | null) => value === null ? "–" : formatSeconds(value);
  return ui.dataTable(
    "The last days",
    ["Day (UTC)", "Installs", "Median time", "Failures", "Queue time", "95th percentile", "Storage used", "Growth"],
    samples.toReversed().map((sample) => {
      const used = findUsed(sample);
      return [
        formatDay(sample.day),
        sample.installs,
        seconds(sample.installSeconds),
        sample.failures,
        seconds(sample.waitSeconds),
        seconds(sample.waitSeconds95),
        used === null ? "–" : formatBytes(used),
        sample.growth === null ? "–" : formatGrowth(sample.growth),
      ];
    }),
  );
}

function findUsed({ filesUsed, databaseUsed }: OverviewHistory["samples"][number]): number | null {
  return filesUsed === null || databaseUsed === null ? null : filesUsed + databaseUsed;
}

function formatGrowth(bytes: number): string {
  return `${bytes < 0 ? "−" : "+"}${formatBytes(Math.abs(bytes))}`;
}

function formatSeconds(seconds: number): string {
  return seconds < 10 ? `${seconds} s` : ui.formatDuration(seconds);
}

function formatCount(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${count === 1 ? noun : `${noun}s`}`;
}

function formatDay(day: string): string {
  return DAY_FORMAT.format(new Date(day));
}

const DAY_FORMAT = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
