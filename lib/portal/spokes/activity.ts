/** Renders the activity of a spoke: a chart over time, and the list of events. */
import { markup } from "#lib/http/page.ts";
import { emptyState, instant, olderLink, panel, withQuery } from "#lib/portal/components/parts.ts";
import type { View } from "#lib/portal/components/view.ts";
import { type AuditEventItem, eventRow, eventStyle } from "#lib/portal/audit/event.ts";
import { chart, chartStyle } from "#lib/portal/spokes/chart.ts";
import { spokeHead, type SpokePage } from "#lib/portal/spokes/spoke-page.ts";

export const EVENTS_PER_PAGE = 50;

export interface ActivityProps {
  readonly spokePage: SpokePage;
  readonly events: readonly AuditEventItem[];
  /** The cursor of the next page; null on the last one. */
  readonly next: string | null;
  /** The cursor of this page; null for the newest events. */
  readonly before: string | null;
  readonly now: Date;
}

export function activityView({ spokePage, events, next, before, now }: ActivityProps): View {
  const { spoke: { id }, isOperator } = spokePage, here = `/spokes/${id}/activity`;
  const points = events.map(({ at, kind }) => ({ at: new Date(at), failed: kind.endsWith("_failed") }));
  const until = before === null ? now : points[0]?.at ?? now;
  const which = before === null
    ? next !== null ? `Newest ${events.length} events` : ""
    : markup`Events before ${instant(events[0]?.at ?? null)}`;
  return {
    ...spokeHead(spokePage, "/activity"),
    style: chartStyle + eventStyle,
    body: events.length > 0
      ? markup`${
        panel("Over time", chart(points, until), {
          id: "over-time",
          live: true,
          lead: which,
        })
      }
<section aria-labelledby="events-title" class="pile"><h2 class="unseen" id="events-title">Events</h2><ul class="list happened" id="events" data-live>${
        events.map((event) => eventRow(event, { linkUsers: isOperator }))
      }</ul></section>
${olderLink(next && withQuery(here, { before: next }))}`
      : emptyState(
        "No activity",
        before === null ? "Events of this spoke appear here." : "There are no older events.",
      ),
  };
}
