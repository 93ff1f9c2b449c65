import { GET as getHubs } from "#routes/api/federations/index.ts";
import { GET as getMySpokes } from "#routes/api/my-spokes.ts";
import { GET as getOverview } from "#routes/api/overview.ts";
import { GET as getHistory } from "#routes/api/overview/history.ts";
import { HUBS_PER_PAGE, hubsView } from "#lib/portal/hubs/list.ts";
import { optionalQuerySchema, portalPage } from "#lib/portal/page/page.ts";

export const GET = portalPage({
  summary: "The hubs that you can see, with the state of their spokes",
  query: optionalQuerySchema("q", "state", "before"),
  async show({ callApi, me, query: { before, ...query } }) {
    const limit = String(HUBS_PER_PAGE),
      isWhole = Object.values({ before, ...query }).every((each) => each === undefined);
    const hubs = await callApi(getHubs, { query: { ...query, before, limit } });
    const [overview, history, failed, degraded] = await Promise.all([
      callApi(getOverview, { query: { hubs: hubs.items.map(({ id }) => id).join() } }),
      isWhole ? callApi(getHistory) : null,
      callApi(getMySpokes, { query: { state: "failed", limit: "5" } }),
      callApi(getMySpokes, { query: { state: "active", health: "degraded", limit: "5" } }),
    ]);
    return hubsView({
      me,
      hubs,
      overview,
      history,
      unhealthy: [...failed.items, ...degraded.items],
      query,
    });
  },
});
