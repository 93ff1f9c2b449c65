/** All operations on a spoke. */
import { GET as hub } from "#routes/api/federations/[federationId]/index.ts";
import { GET as spoke } from "#routes/api/spokes/[spokeId]/index.ts";
import { GET as operations } from "#routes/api/spokes/[spokeId]/operations.ts";
import { asks, page } from "#lib/portal/page/page.ts";
import { OPERATIONS_A_PAGE } from "#lib/portal/components/progress.ts";
import { historyView } from "#lib/portal/spokes/history.ts";
import { findPlace } from "#lib/portal/spokes/place.ts";

export const GET = page({
  summary: "What was and is being done to a spoke",
  query: asks("before"),
  async show(call) {
    const place = await findPlace(call, spoke, hub), limit = String(OPERATIONS_A_PAGE);
    return historyView(place, await call.ask(operations, { query: { before: call.query.before, limit } }));
  },
});
