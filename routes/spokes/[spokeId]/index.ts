import { GET as getHub } from "#routes/api/federations/[federationId]/index.ts";
import { GET as getOperation } from "#routes/api/operations/[operationId].ts";
import { GET as getAvailability } from "#routes/api/spokes/[spokeId]/availability.ts";
import { GET as getSpoke } from "#routes/api/spokes/[spokeId]/index.ts";
import { GET as getOperations } from "#routes/api/spokes/[spokeId]/operations.ts";
import { portalPage } from "#lib/portal/page/page.ts";
import { loadSpokePage } from "#lib/portal/spokes/spoke-page.ts";
import { spokeView } from "#lib/portal/spokes/spoke.ts";

export const GET = portalPage({
  summary: "A spoke: its state, current operation and health",
  async show(call) {
    const spokePage = await loadSpokePage(call, getSpoke, getHub), { callApi, now } = call;
    const { items: done } = await callApi(getOperations, { query: { limit: "5" } });
    const latest = done[0] ? await callApi(getOperation, { params: { operationId: done[0].id } }) : null;
    const availability = await callApi(getAvailability);
    return spokeView({ spokePage, operations: done, latest, availability, now: await now() });
  },
});
