/** One operation on a spoke, live. */
import { GET as hub } from "#routes/api/federations/[federationId]/index.ts";
import { GET as operation } from "#routes/api/operations/[operationId].ts";
import { GET as spoke } from "#routes/api/spokes/[spokeId]/index.ts";
import { Fault } from "#lib/base/errors.ts";
import { page } from "#lib/portal/page/page.ts";
import { operationView } from "#lib/portal/spokes/history.ts";
import { findPlace } from "#lib/portal/spokes/place.ts";

export const GET = page({
  summary: "One operation on a spoke: its steps, and why it failed",
  async show(call) {
    const place = await findPlace(call, spoke, hub), shown = await call.ask(operation);
    if (shown.spokeId !== place.spoke.id) throw new Fault("missing", "operation_missing", "It has no such operation");
    return operationView({ place, operation: shown, now: await call.now() });
  },
});
