/** Counts the hubs, spokes and operations that the caller can see. */
import { sql, type SqlBool } from "kysely";
import type { RowQueries } from "#lib/drivers/db/database.ts";
import { findVisibleHub } from "#lib/domains/federations/access.ts";
import { isHubVisibleTo, isObjectVisibleTo, type Viewer } from "#lib/domains/federations/viewer.ts";
import type { OverviewCounts, SpokeCounts, TemplateSummary } from "#lib/domains/federations/views.ts";
import { LIVE_STATES } from "#lib/model/states.ts";
import { countLiveOperations } from "#lib/jobs/queue.ts";

/** Counts the objects in one hub or in all hubs. Throws a `missing` fault if the viewer cannot see the named hub. */
export async function showOverview(
  rows: RowQueries,
  viewer: Viewer,
  name: string | undefined,
): Promise<OverviewCounts> {
  const hub = name === undefined ? null : (await findVisibleHub(rows, viewer, name, "hidden")).id;
  const [counts, queue, templates] = await Promise.all([
    countStates(rows, viewer, hub),
    countOperations(rows, viewer, hub),
    viewer.role === "operator" && hub === null ? listTemplateSummaries(rows) : null,
  ]);
  const spokes = createEmptyCounts(), hubs = new Map<string, SpokeCounts>();
  for (const { federationId, state, count, degraded, unverified, oldestVerifiedAt } of counts) {
    const own = hubs.get(federationId) ?? createEmptyCounts();
    hubs.set(federationId, own);
    if (state === null || state === "removed") continue; // a hub without spokes
    for (const sum of [spokes, own]) {
      sum.total += count;
      sum.byState[state] += count;
      sum.degraded += degraded;
      sum.unverified += unverified;
      sum.oldestVerifiedAt = earlierDate(sum.oldestVerifiedAt, oldestVerifiedAt);
    }
  }
  return { spokes, hubs: [...hubs].map(([federationId, own]) => ({ federationId, ...own })), queue, templates };
}

/** Lists the templates (prepared installations) for new sites, one for each cluster and Moodle version. */
async function listTemplateSummaries(rows: RowQueries): Promise<TemplateSummary[]> {
  return await rows.selectFrom("templates")
    .select(["cluster", "version as lmsVersion", "state", "error", "nextAttemptAt", "readyAt", "lastUsedAt"])
    .orderBy("cluster").orderBy("createdAt", "desc").orderBy("id").execute();
}

function createEmptyCounts(): SpokeCounts {
  const byState = Object.fromEntries(LIVE_STATES.map((state) => [state, 0])) as SpokeCounts["byState"];
  return { total: 0, byState, degraded: 0, unverified: 0, oldestVerifiedAt: null };
}

function earlierDate(a: SpokeCounts["oldestVerifiedAt"], b: Date | null): SpokeCounts["oldestVerifiedAt"] {
  return b !== null && (a === null || b < new Date(a)) ? b : a;
}

/** Counts spokes per hub and spoke state, newest hubs first. A hub without spokes has one row with a null state. */
function countStates(rows: RowQueries, viewer: Viewer, hub: string | null) {
  let query = rows.selectFrom("federations").leftJoin(
    "spokes",
    (join) =>
      join.onRef("spokes.federationId", "=", "federations.id").on(sql<SqlBool>`spokes.state <> 'removed'`)
        .on(isObjectVisibleTo(viewer, sql.ref("spokes.federationId"), sql.ref("spokes.id"))),
  );
  if (hub !== null) query = query.where("federations.id", "=", hub);
  return query.where(sql<SqlBool>`federations.state <> 'removed'`)
    .where(isHubVisibleTo(viewer, sql.ref("federations.id")))
    .select([
      "federations.id as federationId",
      "spokes.state",
      sql<number>`count(spokes.id)::integer`.as("count"),
      sql<number>`count(*) filter (where spokes.state = 'active' and spokes.health = 'degraded')::integer`.as(
        "degraded",
      ),
      sql<number>`count(*) filter (where spokes.state = 'active' and spokes.unverified_since is not null)::integer`.as(
        "unverified",
      ),
      sql<Date | null>`min(spokes.verified_at) filter (where spokes.state = 'active')`.as("oldestVerifiedAt"),
    ])
    .groupBy(["federations.id", "spokes.state"])
    .orderBy("federations.createdAt", "desc").orderBy("federations.id", "desc").execute();
}

function countOperations(rows: RowQueries, viewer: Viewer, hub: string | null) {
  const isVisible = isObjectVisibleTo(viewer, sql.ref("federationId"), sql.ref("spokeId"));
  return countLiveOperations(rows, hub === null ? isVisible : sql<SqlBool>`federation_id = ${hub} and ${isVisible}`);
}
