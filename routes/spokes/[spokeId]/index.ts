/** A spoke, live. */
import { GET as hub } from "#routes/api/federations/[federationId]/index.ts";
import { GET as operation } from "#routes/api/operations/[operationId].ts";
import { GET as spoke } from "#routes/api/spokes/[spokeId]/index.ts";
import { GET as operations } from "#routes/api/spokes/[spokeId]/operations.ts";
import { page } from "#lib/portal/page/page.ts";
import { findPlace } from "#lib/portal/spokes/place.ts";
import { spokeView } from "#lib/portal/spokes/spoke.ts";

export const GET = page({
  summary: "A spoke: its state, what is being done to it, its health",
  async show(call) {
    const place = await findPlace(call, spoke, hub), { ask, now } = call;
    const { items: done } = await ask(operations, { query: { limit: "5" } });
    const latest = done[0] ? await ask(operation, { params: { operationId: done[0].id } }) : null;
    return spokeView({ place, operations: done, latest, now: await now() });
  },
});
