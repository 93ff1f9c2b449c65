import { GET as getCourses } from "#routes/api/federations/[federationId]/courses/index.ts";
import { GET as getHub } from "#routes/api/federations/[federationId]/index.ts";
import { GET as getOperation } from "#routes/api/operations/[operationId].ts";
import { GET as getAddons } from "#routes/api/spokes/[spokeId]/addons.ts";
import { GET as getAvailability } from "#routes/api/spokes/[spokeId]/availability.ts";
import { GET as getSpoke } from "#routes/api/spokes/[spokeId]/index.ts";
import { GET as getOperations } from "#routes/api/spokes/[spokeId]/operations.ts";
import { GET as getShared } from "#routes/api/spokes/[spokeId]/policy.ts";
import { GET as getUsage } from "#routes/api/spokes/[spokeId]/usage.ts";
import { resultIfVisible } from "#lib/portal/page/call-api.ts";
import { optionalQuerySchema, portalPage } from "#lib/portal/page/page.ts";
import { DEFAULT_PERIOD } from "#lib/portal/spokes/usage.ts";
import { loadSpokePage } from "#lib/portal/spokes/spoke-page.ts";
import { spokeView } from "#lib/portal/spokes/spoke.ts";

export const GET = portalPage({
  summary: "A spoke: its state, current operation and health",
  query: optionalQuerySchema("days"),
  async show(call) {
    const spokePage = await loadSpokePage(call, getSpoke, getHub), { callApi, now } = call;
    const days = call.query.days ?? DEFAULT_PERIOD;
    const [{ items: done }, usage] = await Promise.all([
      callApi(getOperations, { query: { limit: "5" } }),
      callApi(getUsage, { query: { days } }),
    ]);
    const latest = done[0] ? await callApi(getOperation, { params: { operationId: done[0].id } }) : null;
    const availability = await callApi(getAvailability);
    const shared = await callApi(getShared), addons = await callApi(getAddons);
    const { federationId } = spokePage.spoke;
    const courses = await resultIfVisible(callApi(getCourses, { params: { federationId } })) ?? [];
    const operations = { operations: done, latest };
    return spokeView({
      spokePage,
      shared: { shared, courses },
      ...operations,
      availability,
      reports: { usage, addons, days },
      now: await now(),
    });
  },
});
