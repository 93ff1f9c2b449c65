import { GET as getHub } from "#routes/api/federations/[federationId]/index.ts";
import { GET as getOperations } from "#routes/api/federations/[federationId]/operations.ts";
import { GET as getSpoke } from "#routes/api/spokes/[spokeId]/index.ts";
import { canManageHub } from "#lib/domains/federations/viewer.ts";
import { OPERATIONS_PER_PAGE } from "#lib/portal/components/progress.ts";
import { hubOperationsView } from "#lib/portal/hubs/operations.ts";
import { resultIfVisible } from "#lib/portal/page/call-api.ts";
import { optionalQuerySchema, portalPage } from "#lib/portal/page/page.ts";

export const GET = portalPage({
  summary: "Operations on a hub and its spokes, with live progress",
  query: optionalQuerySchema("before"),
  async show({ callApi, actor, follow, publicUrl, query: { before } }) {
    const { id } = await callApi(getHub), following = await follow(id);
    const [hub, operations] = await Promise.all([
      callApi(getHub),
      callApi(getOperations, { query: { before, limit: String(OPERATIONS_PER_PAGE) } }),
    ]);
    const ids = new Set(operations.items.flatMap(({ spokeId }) => spokeId ?? []));
    const found = await Promise.all(
      [...ids].map((spokeId) => resultIfVisible(callApi(getSpoke, { params: { spokeId } }))),
    );
    return hubOperationsView({
      hub,
      canManageHub: canManageHub(actor, id),
      operations,
      spokes: new Map(found.flatMap((each) => each ? [[each.id, each]] : [])),
      publicUrl,
      follow: following,
    });
  },
});
