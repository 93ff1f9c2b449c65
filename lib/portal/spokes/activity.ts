/** Renders a spoke's activity: a chart over time, and a list of events. */
import { markup } from "#lib/http/page.ts";
import { appendQuery, emptyState, nextPageLink, panel, renderTime } from "#lib/portal/components/parts.ts";
import type { PageView } from "#lib/portal/components/view.ts";
import { type AuditEventItem, renderEventRow } from "#lib/portal/audit/event.ts";
import { eventChart } from "#lib/portal/spokes/chart.ts";
import { spokeHeader, type SpokePageData } from "#lib/portal/spokes/spoke-page.ts";

export const EVENTS_PER_PAGE = 50;

export interface ActivityProps {
  readonly spokePage: SpokePageData;
  readonly events: readonly AuditEventItem[];
  /** The cursor for the next page; null on the last page. */
  readonly next: string | null;
  /** The cursor of this page; null for the page with the newest events. */
  readonly before: string | null;
  readonly now: Date;
}

export function activityView({ spokePage, events, next, before, now }: ActivityProps): PageView {
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
${nextPageLink(next && appendQuery(here, { before: next }))}`
      : emptyState(
        "No activity",
        before === null ? "Events for this spoke appear here." : "There are no older events.",
      ),
  };
}
