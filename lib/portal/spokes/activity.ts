/** What was done with a spoke, by whom and when: over time, and one by one. */
import { markup } from "#lib/http/page.ts";
import { empty, instant, older, panel, withQuery } from "#lib/portal/components/parts.ts";
import type { View } from "#lib/portal/components/view.ts";
import { eventRow, eventStyle, type ToldEvent } from "#lib/portal/audit/event.ts";
import { chart, chartStyle } from "#lib/portal/spokes/chart.ts";
import { spokeHead, type SpokePlace } from "#lib/portal/spokes/place.ts";

export const EVENTS_A_PAGE = 50;

export interface ActivityShown {
  readonly place: SpokePlace;
  readonly events: readonly ToldEvent[];
  /** Where the next page begins; null on the last one. */
  readonly next: string | null;
  /** The page ends before this; null for the newest. */
  readonly before: string | null;
  readonly now: Date;
}

export function activityView({ place, events, next, before, now }: ActivityShown): View {
  const { spoke: { id }, operates } = place, here = `/spokes/${id}/activity`;
  const dots = events.map(({ at, kind }) => ({ at: new Date(at), failed: kind.endsWith("_failed") }));
  const until = before === null ? now : dots[0]?.at ?? now;
  const which = before === null
    ? next !== null ? `The ${events.length} newest` : ""
    : markup`What was before ${instant(events[0]?.at ?? null)}`;
  return {
    ...spokeHead(place, "/activity"),
    style: chartStyle + eventStyle,
    body: events.length > 0
      ? markup`${
        panel("Over time", chart(dots, until), {
          id: "over-time",
          live: true,
          lead: which,
        })
      }
<section aria-labelledby="events-title" class="pile"><h2 class="unseen" id="events-title">One by one</h2><ul class="list happened" id="events" data-live>${
        events.map((event) => eventRow(event, { people: operates }))
      }</ul></section>
${older(next && withQuery(here, { before: next }))}`
      : empty(
        "Nothing here",
        before === null ? "What is done with this spoke stands here." : "There is nothing older.",
      ),
  };
}
