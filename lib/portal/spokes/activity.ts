/** Renders a spoke's activity: a list of events, and a bar chart over time with the same numbers in a table. */
import { formatCount } from "#lib/base/text.ts";
import type { ListPage } from "#lib/drivers/db/pages.ts";
import { type Markup, markup } from "#lib/http/page.ts";
import { dataTable, emptyState, nextPageLink, panel, renderTime } from "#lib/portal/components/parts.ts";
import type { PageView } from "#lib/portal/components/view.ts";
import { type AuditEventItem, renderEventRow } from "#lib/portal/audit/event.ts";
import { spokeHeader, type SpokePageData } from "#lib/portal/spokes/spoke-page.ts";
import { DAY, HOUR } from "#lib/base/time.ts";

export const EVENTS_PER_PAGE = 50;

export interface ActivityProps {
  readonly spokePage: SpokePageData;
  readonly events: ListPage<AuditEventItem>;
  /** The cursor of this page; null for the page with the newest events. */
  readonly before: string | null;
  readonly now: Date;
}

export function activityView({ spokePage, events: { items: events, next }, before, now }: ActivityProps): PageView {
  const { spoke: { id }, isOperator } = spokePage, here = `/spokes/${id}/activity`;
  const points = events.map(({ at, kind }) => ({ at: new Date(at), failed: kind.endsWith("_failed") }));
  const until = before === null ? now : points[0]?.at ?? now;
  const which = before === null
    ? next !== null ? `Newest ${events.length} events` : ""
    : markup`Events before ${renderTime(events[0]?.at ?? null)}`;
  return {
    ...spokeHeader(spokePage, "/activity"),
    body: events.length > 0
      ? markup`${
        panel("Over time", eventChart(points, until), {
          id: "over-time",
          live: true,
          lead: which,
        })
      }
<section aria-labelledby="events-title" class="column"><h2 class="visually-hidden" id="events-title">Events</h2><ul class="list event-list" id="events" data-live>${
        events.map((event) => renderEventRow(event, { linkUsers: isOperator }))
      }</ul></section>
${nextPageLink(here, next)}`
      : emptyState(
        "No activity",
        before === null ? "Events for this spoke appear here." : "There are no older events.",
      ),
  };
}

export interface ChartPoint {
  readonly at: Date;
  readonly failed: boolean;
}

interface Bar {
  readonly from: Date;
  readonly all: number;
  readonly failed: number;
}

const WIDTHS = [HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 7 * DAY, 28 * DAY] as const;
const NAMES = ["hour", "3 hours", "6 hours", "12 hours", "day", "2 days", "week", "4 weeks"] as const;
const MAX_BARS = 30;

/** Returns chart bars (UTC) from the first event to `until`. Uses the shortest interval that needs at most MAX_BARS. */
export function buildChartBars(
  points: readonly ChartPoint[],
  until: Date,
): { readonly bars: readonly Bar[]; readonly each: string } {
  const first = Math.min(...points.map(({ at }) => at.getTime())), last = Math.max(until.getTime(), first);
  const spanOf = (width: number) => Math.floor(last / width) - Math.floor(first / width) + 1;
  const found = WIDTHS.findIndex((width) => spanOf(width) <= MAX_BARS), i = found < 0 ? WIDTHS.length - 1 : found;
  const width = WIDTHS[i]!, begin = Math.floor(first / width) * width;
  const count = Math.max(spanOf(width), 24);
  const bars = Array.from({ length: count }, (_, n) => {
    const from = begin + (n - (count - spanOf(width))) * width;
    const inside = points.filter(({ at }) => at.getTime() >= from && at.getTime() < from + width);
    return { from: new Date(from), all: inside.length, failed: inside.filter(({ failed }) => failed).length };
  });
  return { bars, each: NAMES[i]! };
}

const WIDTH = 720, HEIGHT = 96, GAP = 3;

export function eventChart(points: readonly ChartPoint[], until: Date): Markup {
  const { bars, each } = buildChartBars(points, until), maxCount = Math.max(1, ...bars.map(({ all }) => all));
  const failed = points.filter((point) => point.failed).length, step = WIDTH / bars.length;
  const day = each.endsWith("hour") || each.endsWith("hours") ? HOURLY : DAILY;
  const description =
    `${points.length} events from ${day.format(bars[0]!.from)} to ${day.format(until)} UTC, ${failed} failures; ` +
    `at most ${maxCount} per ${each}`;
  const height = (count: number) => count / maxCount * (HEIGHT - 4);
  return markup`<figure class="chart"><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${description}" preserveAspectRatio="none">
<line class="base" x1="0" x2="${WIDTH}" y1="${HEIGHT - .5}" y2="${HEIGHT - .5}"/>${
    bars.map(({ all, failed }, i) =>
      all === 0
        ? ""
        : markup`<rect class="all" x="${(i * step + GAP / 2).toFixed(1)}" width="${(step - GAP).toFixed(1)}" y="${
          (HEIGHT - height(all)).toFixed(1)
        }" height="${height(all).toFixed(1)}"/>${
          failed === 0
            ? ""
            : markup`<rect class="failed" x="${(i * step + GAP / 2).toFixed(1)}" width="${
              (step - GAP).toFixed(1)
            }" y="${(HEIGHT - height(failed)).toFixed(1)}" height="${height(failed).toFixed(1)}"/>`
        }`
    )
  }</svg>
<figcaption class="tiny soft"><span>${day.format(bars[0]!.from)}</span><span>${
    formatCount(points.length, "event")
  }, by ${each}${
    failed === 0 ? "" : markup`; <span class="key"></span> ${formatCount(failed, "failure")}`
  }</span><span>${day.format(until)} UTC</span></figcaption></figure>
<details id="numbers"><summary>Show as a table</summary>${
    dataTable(
      "Events over time",
      [`Start (UTC) of each period (${each})`, "Events", "Failures"],
      bars.filter(({ all }) => all > 0).map(({ from, all, failed }) => [HOURLY.format(from), all, failed]),
    )
  }</details>`;
}

const DAILY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
const HOURLY = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
  timeZone: "UTC",
});
