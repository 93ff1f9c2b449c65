/**
 * Finds the spokes on a page of a list that covers many hubs. Reads only index entries of `live_spokes`, so that the
 * cost does not depend on the number of spokes. Removed spokes have their own index.
 */
import { type RawBuilder, sql, type SqlBool } from "kysely";
import { buildPatternCondition, buildSearchCondition } from "#lib/drivers/db/text-search.ts";
import { LIVE_STATES } from "#lib/model/states.ts";
import { hasValueFilters, matchesValues, type SpokeFilter } from "#lib/domains/spokes/filter.ts";
import { isAfterCursor, orderOf, sortKeyOf, type SpokeOrder, type SpokeTable } from "#lib/domains/spokes/sort.ts";

export interface SpokeSelection extends Omit<SpokeFilter, "q">, SpokeOrder {
  /** The text to search for, and the `like` pattern for it. */
  readonly part?: string | undefined;
  readonly pattern?: string | undefined;
  /** The IDs of the hubs and spokes that the viewer may see. Both undefined if they may see every spoke. */
  readonly federationIds?: readonly string[];
  readonly spokeIds?: readonly string[];
  /** Whether removed spokes are included. */
  readonly withRemoved?: true | undefined;
  /** Whether few spokes match the filters. They are then read first, instead of the spokes with the text. */
  readonly isSparse?: true | undefined;
  /** If set, searches only this number of spokes at the beginning of the list. */
  readonly newestRows?: number | undefined;
}

/** With more hubs than this, a user's first spokes are searched among the first spokes of all hubs first. */
const MANY_HUBS = 8;

/** Returns whether the first spokes of all hubs are likely to fill the page. */
export function mayUseNewestSpokes({ part, slug, federationIds, withRemoved }: SpokeSelection): boolean {
  return !withRemoved && (part !== undefined || slug === undefined && (federationIds?.length ?? 0) > MANY_HUBS);
}

/** Returns whether few spokes match the filters. Most spokes are active and healthy. */
export function hasSparseFilters({ slug, state, health, minStoragePercent, addon }: SpokeFilter): boolean {
  return slug !== undefined || minStoragePercent !== undefined || addon !== undefined ||
    (state ?? "active") !== "active" ||
    (health ?? "healthy") !== "healthy";
}

/** Selects the IDs (`spoke_id`) of the page's spokes. */
export function selectSpokesOfPage(selection: SpokeSelection): RawBuilder<unknown> {
  const { withRemoved, part } = selection;
  const live = part ? selectSpokesWithText(selection) : selectLiveSpokes(selection);
  return withRemoved
    ? sql`select * from ((${live}) union all (${selectRemovedSpokes(selection)})) as spoke ${pageOrder(selection)}`
    : live;
}

/** Counts the first spokes of the list in all hubs, up to `maxRows`. Ignores the text to search for. */
export function countFirstSpokes(selection: SpokeSelection): RawBuilder<{ count: number }> {
  return sql`select count(*)::integer as count from (${selectInOrder(selection)}) as first`;
}

/** The columns of each selected row: the spoke's ID, and the value by which the list is sorted. */
function rowColumns(selection: SpokeOrder, table: SpokeTable = "live_spokes"): RawBuilder<unknown> {
  const id = sql.ref(table === "spokes" ? "id" : "spokeId");
  return sql`${id} as spoke_id, ${sortKeyOf(selection, table)}${selection.isByStorage ? sql` as storage_rank` : sql``}`;
}

function selectLiveSpokes(selection: SpokeSelection): RawBuilder<unknown> {
  const { slug, federationIds, spokeIds, newestRows } = selection, order = pageOrder(selection);
  const columns = rowColumns(selection), filters = matchesFilters(selection);
  if (newestRows) {
    const first = selectInOrder({ ...selection, maxRows: newestRows });
    return sql`select ${columns} from (${first}) as first where ${isVisible(selection)} ${order}`;
  }
  if (!federationIds) return sql`select ${columns} from (${selectInOrder(selection)}) as spoke ${order}`;
  if (slug) { // few spokes have the same slug
    return sql`select ${columns} from ${liveSpokes(selection)} where ${filters} and ${isVisible(selection)} ${order}`;
  }
  return sql`select * from (
      select own.* from live_hubs as hub cross join lateral (
        select ${columns} from ${liveSpokes(selection)} where federation_id = hub.federation_id and ${filters} ${order}
      ) as own where hub.federation_id = any(${federationIds}::text[]) and ${mayContainSpokes(selection)}
      union all
      select ${columns} from ${liveSpokes(selection)} where spoke_id = any(${spokeIds}::text[]) and ${filters}
    ) as spoke ${order}`;
}

/**
 * Returns the table of live spokes, or only the spokes with the selected add-on. The columns by which pages are sorted
 * then come from the table of add-ons, so that its indexes give the order.
 */
function liveSpokes({ addon }: SpokeSelection): RawBuilder<unknown> {
  if (addon === undefined) return sql`live_spokes as live`;
  return sql`(select addon.spoke_id, addon.federation_id, addon.created_at, slug, state, health, size, lms_version, region,
      blueprint_revision, storage_rank, last_failed_at
    from spoke_addons as addon join live_spokes on live_spokes.spoke_id = addon.spoke_id
    where addon.component = ${addon}) as live`;
}

/** Selects the first spokes of the list in all hubs. */
function selectInOrder(selection: SpokeSelection): RawBuilder<unknown> {
  const { notBlueprint, ...others } = selection, order = pageOrder(selection), { minStoragePercent } = selection;
  const isPlain = notBlueprint === undefined && (minStoragePercent === undefined || selection.isByStorage);
  if (isPlain || selection.addon !== undefined) {
    return sql`select * from ${liveSpokes(selection)} where ${matchesFilters(selection)} ${order}`;
  }
  if (minStoragePercent !== undefined && !selection.isByStorage) {
    return sql`select spoke.* from generate_series(${minStoragePercent}::integer, 100) as percent cross join lateral (
      select * from live_spokes where storage_rank = percent and ${matchesFilters(selection)} ${order}
    ) as spoke ${order}`;
  }
  // An index cannot find rows with another revision in the order of the list. So it finds each of the few other revisions.
  return sql`select spoke.* from (
      with recursive known as (
        (select blueprint_revision from live_spokes order by blueprint_revision limit 1)
        union all
        select (select next.blueprint_revision from live_spokes as next
          where next.blueprint_revision > known.blueprint_revision order by next.blueprint_revision limit 1)
        from known where known.blueprint_revision is not null
      ) select blueprint_revision from known where blueprint_revision <> ${notBlueprint}
    ) as other cross join lateral (
      select * from live_spokes where blueprint_revision = other.blueprint_revision and ${
    matchesFilters(others)
  } ${order}
    ) as spoke ${order}`;
}

function selectSpokesWithText(selection: SpokeSelection): RawBuilder<unknown> {
  const { newestRows, isSparse, part, pattern, isByFailure, isByStorage } = selection,
    term = { part: part!, pattern: pattern! };
  const isFiltered = hasValueFilters(selection), order = pageOrder(selection), columns = rowColumns(selection);
  const isFound = sql`${isVisible(selection)} and ${buildSearchCondition(sql.ref("content"), term, "newest")}`;
  const withText = (spokes: RawBuilder<unknown>) =>
    sql`select spoke.*, content from (${spokes}) as spoke join spoke_texts using (spoke_id)`;
  if (newestRows) {
    const bounds = { ...selection, maxRows: newestRows };
    const first = isFiltered || isByFailure || isByStorage
      ? withText(selectInOrder(bounds))
      : sql`select * from spoke_texts where ${isAfterCursor(bounds, "live_spokes")} ${pageOrder(bounds)}`;
    return sql`select ${columns} from (${first}) as first where ${isFound} ${order}`;
  }
  if (isByFailure) { // few spokes have had a failure
    const failed = sql`select * from ${liveSpokes(selection)} where ${matchesFilters(selection)}`;
    return sql`select ${columns} from (${withText(failed)}) as failed where ${isFound} ${order}`;
  }
  if (isByStorage) {
    const found = sql`select spoke_id, content from spoke_texts where ${
      buildSearchCondition(sql.ref("content"), term, "all")
    } offset 0`;
    const spokes = sql`select live.*, content from ${liveSpokes(selection)} join (${found}) as found using (spoke_id)`;
    return sql`select ${columns} from (${spokes}) as spoke
      where ${matchesFilters(selection)} and ${isVisible(selection)} ${order}`;
  }
  // "offset 0" makes the planner use the index of parts. It would otherwise expect to find the page among the first rows.
  return sql`select ${columns} from (
      select * from spoke_texts where ${buildSearchCondition(sql.ref("content"), term, "all")} and ${
    isAfterCursor(selection, "live_spokes")
  }
      offset 0
    ) as spoke where ${isVisible(selection)} ${
    isFiltered
      ? sql`and spoke_id in (with matching as ${isSparse ? sql`materialized` : sql`not materialized`} (
        select spoke_id from ${liveSpokes(selection)} where ${matchesFilters(selection)}
      ) select spoke_id from matching)`
      : sql``
  } ${order}`;
}

/** Returns a condition that skips hubs without a spoke in the selected state. */
function mayContainSpokes({ state }: SpokeSelection): RawBuilder<SqlBool> {
  if (!state) return sql<SqlBool>`true`;
  const counts = LIVE_STATES.map((name) => sql`when ${sql.lit(name)} then ${sql.ref(`hub.${name}`)}`);
  return sql<SqlBool>`case ${state}::text ${sql.join(counts, sql` `)} else 0 end > 0`;
}

function selectRemovedSpokes(selection: SpokeSelection): RawBuilder<unknown> {
  const { pattern } = selection;
  return sql`select ${rowColumns(selection, "spokes")} from spokes where spokes.state = 'removed'
    and ${isAfterCursor(selection, "spokes")} and ${matchesValues(selection, "spokes")}${
    pattern ? sql` and ${buildPatternCondition(["slug", "displayName", "domain"], pattern)}` : sql``
  } ${orderOf(selection, "spokes")} ${limitTo(selection)}`;
}

function matchesFilters(selection: SpokeSelection): RawBuilder<SqlBool> {
  return sql<SqlBool>`${isAfterCursor(selection, "live_spokes")} and ${matchesValues(selection, "live_spokes")}`;
}

function isVisible({ federationIds, spokeIds }: SpokeSelection): RawBuilder<SqlBool> {
  if (!federationIds) return sql<SqlBool>`true`;
  return sql<SqlBool>`(federation_id = any(${federationIds}::text[]) or spoke_id = any(${spokeIds}::text[]))`;
}

function pageOrder(selection: SpokeOrder): RawBuilder<unknown> {
  return sql`${orderOf(selection, "live_spokes")} ${limitTo(selection)}`;
}

function limitTo({ maxRows }: SpokeOrder): RawBuilder<unknown> {
  return maxRows === undefined ? sql`` : sql`limit ${maxRows}`;
}
