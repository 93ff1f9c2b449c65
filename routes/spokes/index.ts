import { GET as getCatalog } from "#routes/api/catalog.ts";
import { GET as getHub } from "#routes/api/federations/[federationId]/index.ts";
import { GET as getMySpokes } from "#routes/api/my-spokes.ts";
import { FLEET_SPOKES_PER_PAGE, fleetSpokesView, SPOKE_LIST_PARAMETERS } from "#lib/portal/fleet/spokes.ts";
import { readEach } from "#lib/portal/page/call-api.ts";
import { optionalQuerySchema, portalPage } from "#lib/portal/page/page.ts";

export const GET = portalPage({
  summary: "The spokes in all hubs that you can see, with filters",
  query: optionalQuerySchema(...SPOKE_LIST_PARAMETERS, "before"),
  async show({ callApi, me, query: { before, ...query } }) {
    const [catalog, spokes] = await Promise.all([
      callApi(getCatalog),
      callApi(getMySpokes, { query: { ...query, before, limit: String(FLEET_SPOKES_PER_PAGE) } }),
    ]);
    const hubs = await readEach(
      spokes.items.map(({ federationId }) => federationId),
      (federationId) => callApi(getHub, { params: { federationId } }),
    );
    return fleetSpokesView({ me, spokes, hubs, catalog, query, before });
  },
});
