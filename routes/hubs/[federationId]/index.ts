/** A hub with its spokes, live. */
import { GET as hub } from "#routes/api/federations/[federationId]/index.ts";
import { GET as spokes } from "#routes/api/federations/[federationId]/spokes/index.ts";
import { GET as overview } from "#routes/api/overview.ts";
import { runsHub } from "#lib/domains/federations/viewer.ts";
import { hubView, SPOKES_A_PAGE } from "#lib/portal/hubs/hub.ts";
import { asks, page } from "#lib/portal/page/page.ts";

export const GET = page({
  summary: "A hub: its spokes, with live progress",
  query: asks("q", "state", "health", "before"),
  async show({ ask, actor, follow, query: { before, ...query } }) {
    const { id } = await ask(hub), followed = await follow(id), limit = String(SPOKES_A_PAGE);
    const [shown, glance, found] = await Promise.all([
      ask(hub),
      ask(overview, { query: { federationId: id } }),
      ask(spokes, { query: { ...query, before, limit } }),
    ]);
    return hubView({
      hub: shown,
      overview: glance,
      spokes: found.items,
      query,
      next: found.next,
      runs: runsHub(actor, id),
      operates: actor.role === "operator",
      follow: followed,
    });
  },
});
