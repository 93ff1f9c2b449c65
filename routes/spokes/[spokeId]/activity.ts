import { GET as getHub } from "#routes/api/federations/[federationId]/index.ts";
import { GET as getActivity } from "#routes/api/spokes/[spokeId]/activity.ts";
import { GET as getSpoke } from "#routes/api/spokes/[spokeId]/index.ts";
import { optionalQuerySchema, portalPage } from "#lib/portal/page/page.ts";
import { activityView, EVENTS_PER_PAGE } from "#lib/portal/spokes/activity.ts";
import { loadSpokePage } from "#lib/portal/spokes/spoke-page.ts";

export const GET = portalPage({
  summary: "The audit events for a spoke",
  query: optionalQuerySchema("before"),
  async show(call) {
    const { callApi, now, query: { before } } = call, limit = String(EVENTS_PER_PAGE);
    const spokePage = await loadSpokePage(call, getSpoke, getHub);
    const events = await callApi(getActivity, { query: { before, limit } });
    return activityView({ spokePage, events, before: before ?? null, now: await now() });
  },
});
