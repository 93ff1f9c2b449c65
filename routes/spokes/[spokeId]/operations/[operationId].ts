import { GET as getHub } from "#routes/api/federations/[federationId]/index.ts";
import { GET as getOperation } from "#routes/api/operations/[operationId].ts";
import { GET as getSpoke } from "#routes/api/spokes/[spokeId]/index.ts";
import { Fault } from "#lib/base/errors.ts";
import { portalPage } from "#lib/portal/page/page.ts";
import { operationView } from "#lib/portal/spokes/operations.ts";
import { loadSpokePage } from "#lib/portal/spokes/spoke-page.ts";

export const GET = portalPage({
  summary: "One operation on a spoke: its steps, and why it failed",
  async show(call) {
    const spokePage = await loadSpokePage(call, getSpoke, getHub), operation = await call.callApi(getOperation);
    if (operation.spokeId !== spokePage.spoke.id) {
      throw new Fault("missing", "operation_missing", "This spoke has no such operation");
    }
    return operationView({ spokePage, operation, now: await call.now() });
  },
});
