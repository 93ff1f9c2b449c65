import { GET as getAvailability } from "#routes/api/federations/[federationId]/availability.ts";
import { GET as getHub } from "#routes/api/federations/[federationId]/index.ts";
import { GET as getSpokes } from "#routes/api/federations/[federationId]/spokes/index.ts";
import { GET as getUsage } from "#routes/api/federations/[federationId]/usage.ts";
import { GET as getOverview } from "#routes/api/overview.ts";
import { GET as getSpoke } from "#routes/api/spokes/[spokeId]/index.ts";
import { canManageHub } from "#lib/domains/federations/viewer.ts";
import { type HubPageProps, hubView, SPOKES_PER_PAGE } from "#lib/portal/hubs/hub.ts";
import { type CallApi, resultIfVisible } from "#lib/portal/page/call-api.ts";
import { optionalQuerySchema, portalPage } from "#lib/portal/page/page.ts";

export const GET = portalPage({
  summary: "A hub and its spokes, with live progress",
  query: optionalQuerySchema("q", "state", "health", "before", "rows"),
  async show({ callApi, actor, follow, query: { before, rows, ...query } }) {
    const { id } = await callApi(getHub), following = await follow(id), limit = String(SPOKES_PER_PAGE);
    const managed = canManageHub(actor, id);
    const [hub, overview, availability, usage, spokes] = await Promise.all([
      callApi(getHub),
      callApi(getOverview, { query: { federationId: id } }),
      managed && rows === undefined ? callApi(getAvailability) : null,
      managed ? callApi(getUsage) : null,
      rows === undefined ? callApi(getSpokes, { query: { ...query, before, limit } }) : readRows(callApi, id, rows),
    ]);
    return hubView({
      hub,
      overview,
      availability,
      usage,
      spokes,
      query,
      hasOnlyRows: rows !== undefined,
      canManageHub: managed,
      isOperator: actor.role === "operator",
      follow: following,
    });
  },
});

/** Reads the spokes whose rows an open page refreshes. Omits spokes that the user can no longer see. */
async function readRows(callApi: CallApi, federationId: string, rows: string): Promise<HubPageProps["spokes"]> {
  const ids = rows.split(",").slice(0, SPOKES_PER_PAGE);
  const spokes = await Promise.all(
    ids.map((spokeId) => resultIfVisible(callApi(getSpoke, { params: { spokeId } }))),
  );
  return { items: spokes.flatMap((spoke) => spoke?.federationId === federationId ? [spoke] : []), next: null };
}
