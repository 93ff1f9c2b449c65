/**
 * Reads lists of hubs from `live_hubs`, which has one short row per hub that is not removed.
 */
import { type RawBuilder, sql, type SqlBool } from "kysely";
import { buildCursorCondition, type PageBounds } from "#lib/drivers/db/pages.ts";
import { buildPatternCondition, buildSearchCondition } from "#lib/drivers/db/text-search.ts";
import type { FederationFilter } from "#lib/domains/federations/views.ts";
import type { Viewer } from "#lib/domains/federations/viewer.ts";

export interface HubSelection extends Omit<FederationFilter, "q">, PageBounds {
  /** The text to search for, and the `like` pattern for it. */
  readonly part?: string | undefined;
  readonly pattern?: string | undefined;
  /** Whether removed hubs are included. */
  readonly withRemoved?: true | undefined;
  /** If set, searches only this number of newest hubs. */
  readonly newestRows?: number | undefined;
}

/** With more hubs than this, a user's newest hubs are searched among the newest of all hubs first. */
const MANY_HUBS = 8;

/** Returns whether the newest of all hubs are likely to fill the page. */
export function mayUseNewestHubs({ role, federationIds }: Viewer, { part, withRemoved }: HubSelection): boolean {
  return !withRemoved && (part !== undefined || role !== "operator" && federationIds.length > MANY_HUBS);
}

/** Selects the IDs (`federation_id`) and creation times of the page's hubs, newest first. */
export function selectHubsOfPage(viewer: Viewer, selection: HubSelection): RawBuilder<unknown> {
  const { state, part, pattern, newestRows, withRemoved } = selection, order = pageOrder(selection);
  const matches = (from: "newest" | "all") =>
    part && pattern ? buildSearchCondition(sql.ref("content"), { part, pattern }, from) : sql<SqlBool>`true`;
  const filters = sql`${buildCursorCondition(selection, sql.ref("created_at"), sql.ref("federation_id"))}${
    state ? sql` and state = ${state}` : sql``
  }`;
  const isVisible = isLiveHubVisibleTo(viewer);
  // "offset 0" makes the planner use the index of parts, or the viewer's IDs, instead of walking the newest hubs.
  const live = newestRows
    ? sql`select federation_id, created_at from (
        select * from live_hubs where ${filters} ${pageOrder({ maxRows: newestRows })}
      ) as newest where ${isVisible} and ${matches("newest")} ${order}`
    : part || viewer.role !== "operator"
    ? sql`select * from (
        select federation_id, created_at from live_hubs where ${isVisible} and ${matches("all")} and ${filters} offset 0
      ) as found ${order}`
    : sql`select federation_id, created_at from live_hubs where ${filters} ${order}`;
  if (!withRemoved) return live;
  const isOlder = buildCursorCondition(selection, sql.ref("created_at"), sql.ref("id"));
  return sql`select * from ((${live}) union all (
      select id, created_at from federations where state = 'removed' and ${isOlder}${
    state ? sql` and state = ${state}` : sql``
  }${pattern ? sql` and ${buildPatternCondition(["slug", "name"], pattern)}` : sql``}
    )) as hub ${order}`;
}

function pageOrder({ maxRows }: PageBounds): RawBuilder<unknown> {
  return sql`order by created_at desc, federation_id desc ${maxRows === undefined ? sql`` : sql`limit ${maxRows}`}`;
}

/** Returns the condition for rows of `live_hubs` that the viewer can see. Admins of a live spoke can see its hub. */
function isLiveHubVisibleTo({ role, federationIds, spokeIds }: Viewer): RawBuilder<SqlBool> {
  if (role === "operator") return sql<SqlBool>`true`;
  const ofSpokes = sql`select federation_id from live_spokes where spoke_id = any(${spokeIds}::text[])`;
  return spokeIds.length === 0
    ? sql<SqlBool>`federation_id = any(${federationIds}::text[])`
    : sql<SqlBool>`federation_id = any(${federationIds}::text[] || array(${ofSpokes}))`;
}
