/** A spoke, live. */
import { GET as hub } from "#routes/api/federations/[federationId]/index.ts";
import { GET as operation } from "#routes/api/operations/[operationId].ts";
import { GET as spoke } from "#routes/api/spokes/[spokeId]/index.ts";
import { GET as operations } from "#routes/api/spokes/[spokeId]/operations.ts";
import { ifAllowed } from "#lib/surface/portal/page/ask.ts";
import { page } from "#lib/surface/portal/page/page.ts";
import { spokeView } from "#lib/surface/portal/spokes/spoke.ts";

export const GET = page({
  summary: "A spoke: its state, what is being done to it, its health",
  async show({ ask, follow, params }) {
    const { federationId } = await ask(spoke), followed = await follow(federationId);
    const [shown, of, done] = await Promise.all([
      ask(spoke),
      ifAllowed(ask(hub, { params: { federationId } })),
      ask(operations, { query: { limit: "10" } }),
    ]);
    const latest = done[0] ? await ask(operation, { params: { ...params, operationId: done[0].id } }) : null;
    return spokeView({ spoke: shown, hub: of, operations: done, latest, follow: followed });
  },
});
