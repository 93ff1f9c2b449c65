/** All hubs that one sees. */
import { GET as hubs } from "#routes/api/federations/index.ts";
import { GET as mySpokes } from "#routes/api/my-spokes.ts";
import { GET as overview } from "#routes/api/overview.ts";
import { HUBS_A_PAGE, hubsView } from "#lib/portal/hubs/list.ts";
import { asks, page } from "#lib/portal/page/page.ts";

export const GET = page({
  summary: "The hubs that you see, with how their spokes are",
  query: asks("q", "state", "before"),
  async show({ ask, me, query: { before, ...query } }) {
    const limit = String(HUBS_A_PAGE);
    const [found, glance, failed, degraded] = await Promise.all([
      ask(hubs, { query: { ...query, before, limit } }),
      ask(overview),
      ask(mySpokes, { query: { state: "failed", limit: "5" } }),
      ask(mySpokes, { query: { state: "active", health: "degraded", limit: "5" } }),
    ]);
    return hubsView({
      me,
      hubs: found.items,
      overview: glance,
      troubled: [...failed.items, ...degraded.items],
      query,
      next: found.next,
    });
  },
});
