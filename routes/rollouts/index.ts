import { GET as getRollouts } from "#routes/api/rollouts/index.ts";
import { ROLLOUTS_PER_PAGE, rolloutsView } from "#lib/portal/rollouts/rollout.ts";
import { optionalQuerySchema, portalPage } from "#lib/portal/page/page.ts";

export const GET = portalPage({
  summary: "Rollouts, newest first",
  query: optionalQuerySchema("state", "before"),
  async show({ callApi, query }) {
    const rollouts = await callApi(getRollouts, { query: { ...query, limit: String(ROLLOUTS_PER_PAGE) } });
    return rolloutsView({ rollouts, query: { state: query.state } });
  },
});
