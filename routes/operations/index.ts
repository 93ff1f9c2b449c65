import { GET as getHub } from "#routes/api/federations/[federationId]/index.ts";
import { GET as getOperations } from "#routes/api/operations/index.ts";
import { GET as getSpoke } from "#routes/api/spokes/[spokeId]/index.ts";
import { OPERATIONS_PER_PAGE } from "#lib/portal/components/progress.ts";
import { fleetOperationsView } from "#lib/portal/fleet/operations.ts";
import { readEach } from "#lib/portal/page/call-api.ts";
import { optionalQuerySchema, portalPage } from "#lib/portal/page/page.ts";

export const GET = portalPage({
  summary: "Operations on all hubs and spokes that you can see",
  query: optionalQuerySchema("state", "federationId", "before"),
  async show({ callApi, query: { before, ...query } }) {
    const operations = await callApi(getOperations, {
      query: { ...query, before, limit: String(OPERATIONS_PER_PAGE) },
    });
    const hubIds = operations.items.flatMap(({ spokeId, federationId }) => spokeId === null ? federationId ?? [] : []);
    const spokeIds = operations.items.flatMap(({ spokeId }) => spokeId ?? []);
    const [hubs, spokes] = await Promise.all([
      readEach(hubIds, (federationId) => callApi(getHub, { params: { federationId } })),
      readEach(spokeIds, (spokeId) => callApi(getSpoke, { params: { spokeId } })),
    ]);
    return fleetOperationsView({ operations, hubs, spokes, query });
  },
});
