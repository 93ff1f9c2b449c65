/** What was done with a spoke. */
import { GET as hub } from "#routes/api/federations/[federationId]/index.ts";
import { GET as activity } from "#routes/api/spokes/[spokeId]/activity.ts";
import { GET as spoke } from "#routes/api/spokes/[spokeId]/index.ts";
import { asks, page } from "#lib/portal/page/page.ts";
import { activityView, EVENTS_A_PAGE } from "#lib/portal/spokes/activity.ts";
import { findPlace } from "#lib/portal/spokes/place.ts";

export const GET = page({
  summary: "What was done with a spoke, by whom and when",
  query: asks("before"),
  async show(call) {
    const { ask, now, query: { before } } = call, limit = String(EVENTS_A_PAGE);
    const place = await findPlace(call, spoke, hub);
    const { items, next } = await ask(activity, { query: { before, limit } });
    return activityView({ place, events: items, next, before: before ?? null, now: await now() });
  },
});
