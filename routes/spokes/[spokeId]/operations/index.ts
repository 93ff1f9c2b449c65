import { GET as getHub } from "#routes/api/federations/[federationId]/index.ts";
import { GET as getSpoke } from "#routes/api/spokes/[spokeId]/index.ts";
import { GET as getOperations } from "#routes/api/spokes/[spokeId]/operations.ts";
import { optionalQuerySchema, portalPage } from "#lib/portal/page/page.ts";
import { OPERATIONS_PER_PAGE } from "#lib/portal/components/progress.ts";
import { operationsView } from "#lib/portal/spokes/operations.ts";
import { loadSpokePage } from "#lib/portal/spokes/spoke-page.ts";

export const GET = portalPage({
  summary: "Operations on a spoke",
  query: optionalQuerySchema("before"),
  async show(call) {
    const spokePage = await loadSpokePage(call, getSpoke, getHub), limit = String(OPERATIONS_PER_PAGE);
    return operationsView(
      spokePage,
      await call.callApi(getOperations, { query: { before: call.query.before, limit } }),
    );
  },
});
