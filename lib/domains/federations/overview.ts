/** Counts the hubs, spokes and operations that the caller can see. */
import { type RawBuilder, sql, type SqlBool } from "kysely";
import type { RowQueries } from "#lib/drivers/db/database.ts";
import { findVisibleHub } from "#lib/domains/federations/access.ts";
import { isObjectVisibleTo, type Viewer } from "#lib/domains/federations/viewer.ts";
import type { OverviewCounts, SpokeCounts, TemplateSummary } from "#lib/domains/federations/views.ts";
import { LIVE_STATES } from "#lib/model/states.ts";
import { countLiveOperations } from "#lib/jobs/queue.ts";

interface OverviewQuery {
  /** The ID or slug of the only hub to count. */
  readonly federationId?: string | undefined;
  /** The IDs of the hubs to list. If absent, all visible hubs are listed. */
  readonly hubs?: readonly string[] | undefined;
  /** The current revision of the blueprint. */
  readonly revision: string;
}

/** Counts the objects in one hub or in all hubs. Throws a `missing` fault if the viewer cannot see the named hub. */
export async function showOverview(
  rows: RowQueries,
  viewer: Viewer,
  { federationId: name, hubs: listed, revision }: OverviewQuery,
): Promise<OverviewCounts> {
  const hub = name === undefined ? null : (await findVisibleHub(rows, viewer, name, "hidden")).id;
  const visible = selectVisibleCounts(viewer, hub);
  const [hubs, sum, queue, templates, outdated] = await Promise.all([
    listCounts(rows, visible, listed),
    listed && sumCounts(rows, visible),
    countOperations(rows, viewer, hub),
    viewer.role === "operator" && hub === null ? listTemplateSummaries(rows) : null,
    countOutdatedSpokes(rows, viewer, hub, revision),
  ]);
  return {
    spokes: toSpokeCounts(sum ?? addCounts(hubs)),
    hubs: hubs.map((counts) => ({ federationId: counts.federationId, ...toSpokeCounts(counts) })),
    queue,
    templates,
    outdated,
  };
}

/** Lists the templates (prepared installations) for new sites, one for each cluster and Moodle version. */
async function listTemplateSummaries(rows: RowQueries): Promise<TemplateSummary[]> {
  return await rows.selectFrom("templates")
    .select(["cluster", "version as lmsVersion", "state", "error", "nextAttemptAt", "readyAt", "lastUsedAt"])
    .orderBy("cluster").orderBy("createdAt", "desc").orderBy("id").execute();
}

const COUNTS = [...LIVE_STATES, "degraded", "unverified"] as const;

/** The numbers of spokes by state, and of degraded and unverified spokes. */
type Counts = Record<(typeof COUNTS)[number], number> & { readonly oldestVerifiedAt: Date | null };
type HubCounts = Counts & { readonly federationId: string };

function toSpokeCounts({ degraded, unverified, oldestVerifiedAt, ...counts }: Counts): SpokeCounts {
  const byState = Object.fromEntries(LIVE_STATES.map((state) => [state, counts[state]])) as SpokeCounts["byState"];
  const total = LIVE_STATES.reduce((sum, state) => sum + counts[state], 0);
  return { total, byState, degraded, unverified, oldestVerifiedAt };
}

function addCounts(hubs: readonly HubCounts[]): Counts {
  const sums = COUNTS.map((name) => [name, hubs.reduce((sum, counts) => sum + counts[name], 0)] as const);
  const oldest = hubs.map(({ oldestVerifiedAt }) => oldestVerifiedAt).filter((date) => date !== null)
    .sort((a, b) => a.getTime() - b.getTime())[0] ?? null;
  return { ...Object.fromEntries(sums) as Record<(typeof COUNTS)[number], number>, oldestVerifiedAt: oldest };
}

/** Selects the counts of each hub that the viewer can see. Counts only spokes that the viewer can see. */
function selectVisibleCounts({ role, federationIds, spokeIds }: Viewer, hub: string | null): RawBuilder<unknown> {
  const inHub = hub === null ? sql`true` : sql`hub.federation_id = ${hub}`;
  const isManaged = role === "operator" ? sql`true` : sql`hub.federation_id = any(${federationIds}::text[])`;
  const managed = sql`select hub.federation_id, hub.created_at, ${sql.join(COUNTS.map((name) => sql.ref(name)))},
    oldest_verified_at from live_hubs as hub where ${inHub} and ${isManaged}`;
  if (role === "operator" || spokeIds.length === 0) return managed;
  const ofState = LIVE_STATES.map((state) => sql`count(*) filter (where spokes.state = ${sql.lit(state)})::integer`);
  return sql`${managed} union all
    select hub.federation_id, hub.created_at, ${sql.join(ofState)},
      count(*) filter (where spokes.state = 'active' and health = 'degraded')::integer,
      count(*) filter (where spokes.state = 'active' and unverified_since is not null)::integer,
      min(verified_at) filter (where spokes.state = 'active')
    from spokes join live_hubs as hub using (federation_id)
    where spokes.id = any(${spokeIds}::text[]) and spokes.state <> 'removed' and ${inHub} group by hub.federation_id`;
}

/** Lists the counts of the visible hubs, newest hub first. */
async function listCounts(
  rows: RowQueries,
  visible: RawBuilder<unknown>,
  ids: readonly string[] | undefined,
): Promise<readonly HubCounts[]> {
  const isListed = ids === undefined ? sql`true` : sql`federation_id = any(${ids}::text[])`;
  const { rows: hubs } = await sql<HubCounts>`select * from (${visible}) as hub where ${isListed}
    order by created_at desc, federation_id desc`.execute(rows);
  return hubs;
}

async function sumCounts(rows: RowQueries, visible: RawBuilder<unknown>): Promise<Counts> {
  const sums = COUNTS.map((name) => sql`coalesce(sum(${sql.ref(name)}), 0)::integer as ${sql.ref(name)}`);
  const { rows: [sum] } = await sql<Counts>`
    select ${sql.join(sums)}, min(oldest_verified_at) as oldest_verified_at from (${visible}) as hub`.execute(rows);
  return sum!;
}

function countOperations(rows: RowQueries, viewer: Viewer, hub: string | null) {
  const isVisible = isObjectVisibleTo(viewer, sql.ref("federationId"), sql.ref("spokeId"));
  return countLiveOperations(rows, hub === null ? isVisible : sql<SqlBool>`federation_id = ${hub} and ${isVisible}`);
}

/** The number of outdated spokes that are counted at most. */
const MAX_OUTDATED = 1000;

/**
 * Counts spokes whose manifests come from another revision of the blueprint. An index finds only these spokes: those
 * with a lower revision, and those with a higher one.
 */
async function countOutdatedSpokes(
  rows: RowQueries,
  { role, federationIds, spokeIds }: Viewer,
  hub: string | null,
  revision: string,
): Promise<OverviewCounts["outdated"]> {
  const isOther = [sql`blueprint_revision < ${revision}`, sql`blueprint_revision > ${revision}`];
  const limit = sql`limit ${MAX_OUTDATED + 1}`;
  const isAll = role === "operator" && hub === null;
  const hubs = role === "operator" ? [hub!] : federationIds.filter((id) => hub === null || id === hub);
  const found = isAll ? isOther.map((is) => sql`(select spoke_id from live_spokes where ${is} ${limit})`) : [
    ...isOther.map((is) =>
      sql`(select own.spoke_id from unnest(${hubs}::text[]) as hub cross join lateral (
          select spoke_id from live_spokes where federation_id = hub and ${is} ${limit}
        ) as own ${limit})`
    ),
    sql`(select spoke_id from live_spokes where spoke_id = any(${role === "operator" ? [] : spokeIds}::text[])
        and blueprint_revision <> ${revision} and ${hub === null ? sql`true` : sql`federation_id = ${hub}`})`,
  ];
  const { rows: [row] } = await sql<{ count: number }>`
    select count(*)::integer as count from (${sql.join(found, sql` union `)} ${limit}) as found`.execute(rows);
  return { spokes: Math.min(MAX_OUTDATED, row!.count), more: row!.count > MAX_OUTDATED };
}
