import { GET as getHub } from "#routes/api/federations/[federationId]/index.ts";
import { GET as getSpokes } from "#routes/api/federations/[federationId]/spokes/index.ts";
import { GET as getOverview } from "#routes/api/overview.ts";
import { canManageHub } from "#lib/domains/federations/viewer.ts";
import { hubView, SPOKES_PER_PAGE } from "#lib/portal/hubs/hub.ts";
import { optionalQuerySchema, portalPage } from "#lib/portal/page/page.ts";

export const GET = portalPage({
  summary: "A hub and its spokes, with live progress",
  query: optionalQuerySchema("q", "state", "health", "before"),
  async show({ callApi, actor, follow, query: { before, ...query } }) {
    const { id } = await callApi(getHub), following = await follow(id), limit = String(SPOKES_PER_PAGE);
    const [hub, overview, spokes] = await Promise.all([
      callApi(getHub),
      callApi(getOverview, { query: { federationId: id } }),
      callApi(getSpokes, { query: { ...query, before, limit } }),
    ]);
    return hubView({
      hub,
      overview,
      spokes,
      query,
      canManageHub: canManageHub(actor, id),
      isOperator: actor.role === "operator",
      follow: following,
    });
  },
});
