/** What happens in a hub, as it happens. */
import { GET as hub } from "#routes/api/federations/[federationId]/index.ts";
import { GET as operations } from "#routes/api/federations/[federationId]/operations.ts";
import { GET as spoke } from "#routes/api/spokes/[spokeId]/index.ts";
import { runsHub } from "#lib/domains/federations/viewer.ts";
import { OPERATIONS_A_PAGE } from "#lib/portal/components/progress.ts";
import { hubEventsView } from "#lib/portal/hubs/events.ts";
import { ifAllowed } from "#lib/portal/page/ask.ts";
import { asks, page } from "#lib/portal/page/page.ts";

export const GET = page({
  summary: "What was and is being done in a hub, live",
  query: asks("before"),
  async show({ ask, actor, follow, publicUrl, query: { before } }) {
    const { id } = await ask(hub), followed = await follow(id);
    const [shown, done] = await Promise.all([
      ask(hub),
      ask(operations, { query: { before, limit: String(OPERATIONS_A_PAGE) } }),
    ]);
    const ids = new Set(done.items.flatMap(({ spokeId }) => spokeId ?? []));
    const seen = await Promise.all([...ids].map((spokeId) => ifAllowed(ask(spoke, { params: { spokeId } }))));
    return hubEventsView({
      hub: shown,
      runs: runsHub(actor, id),
      operations: done.items,
      next: done.next,
      spokes: new Map(seen.flatMap((each) => each ? [[each.id, each]] : [])),
      publicUrl,
      follow: followed,
    });
  },
});
