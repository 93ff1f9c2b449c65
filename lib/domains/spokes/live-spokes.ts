/**
 * Finds the spokes on a page of a list that covers many hubs. Reads only index entries of `live_spokes`, so that the
 * cost does not depend on the number of spokes. Removed spokes have their own index.
 */
import { type RawBuilder, sql, type SqlBool } from "kysely";
import { buildCursorCondition, type PageBounds } from "#lib/drivers/db/pages.ts";
import { buildPatternCondition, buildSearchCondition } from "#lib/drivers/db/text-search.ts";
import { LIVE_STATES } from "#lib/model/states.ts";
import type { SpokeFilter } from "#lib/domains/spokes/views.ts";

export interface SpokeSelection extends Omit<SpokeFilter, "q">, PageBounds {
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
  /** If set, searches only this number of newest spokes. */
  readonly newestRows?: number | undefined;
}

/** With more hubs than this, a user's newest spokes are searched among the newest spokes of all hubs first. */
const MANY_HUBS = 8;

/** Returns whether the newest spokes of all hubs are likely to fill the page. */
export function mayUseNewestSpokes({ part, slug, federationIds, withRemoved }: SpokeSelection): boolean {
  return !withRemoved && (part !== undefined || slug === undefined && (federationIds?.length ?? 0) > MANY_HUBS);
}

/** Returns whether few spokes match the filters. Most spokes are active and healthy. */
export function hasSparseFilters({ slug, state, health }: SpokeFilter): boolean {
  return slug !== undefined || (state ?? "active") !== "active" || (health ?? "healthy") !== "healthy";
}

/** Selects the IDs (`spoke_id`) and creation times of the page's spokes, newest first. */
export function selectSpokesOfPage(selection: SpokeSelection): RawBuilder<unknown> {
  const { withRemoved, part } = selection;
  const live = part ? selectSpokesWithText(selection) : selectLiveSpokes(selection);
  return withRemoved
    ? sql`select * from ((${live}) union all (${selectRemovedSpokes(selection)})) as spoke ${pageOrder(selection)}`
    : live;
}

function selectLiveSpokes(selection: SpokeSelection): RawBuilder<unknown> {
  const { slug, federationIds, spokeIds, newestRows } = selection, filters = matchesFilters(selection);
  if (newestRows) {
    return sql`select spoke_id, created_at from (
        select * from live_spokes where ${filters} ${pageOrder({ maxRows: newestRows })}
      ) as newest where ${isVisible(selection)} ${pageOrder(selection)}`;
  }
  if (!federationIds || slug) { // few spokes have the same slug
    return sql`select spoke_id, created_at from live_spokes where ${filters} and ${isVisible(selection)} ${
      pageOrder(selection)
    }`;
  }
  return sql`select * from (
      select own.* from live_hubs as hub cross join lateral (
        select spoke_id, created_at from live_spokes where federation_id = hub.federation_id and ${filters} ${
    pageOrder(selection)
  }
      ) as own where hub.federation_id = any(${federationIds}::text[]) and ${mayContainSpokes(selection)}
      union all
      select spoke_id, created_at from live_spokes where spoke_id = any(${spokeIds}::text[]) and ${filters}
    ) as spoke ${pageOrder(selection)}`;
}

function selectSpokesWithText(selection: SpokeSelection): RawBuilder<unknown> {
  const { slug, state, health, newestRows, isSparse, part, pattern } = selection,
    term = { part: part!, pattern: pattern! };
  const isFiltered = slug ?? state ?? health, order = pageOrder(selection);
  if (newestRows) {
    const newest = sql`select * from ${sql.table(isFiltered ? "live_spokes" : "spoke_texts")}
      where ${matchesFilters(selection)} ${pageOrder({ maxRows: newestRows })}`;
    const withText =
      sql`select newest.*, spoke_texts.content from (${newest}) as newest join spoke_texts using (spoke_id)`;
    return sql`select spoke_id, created_at from (${isFiltered ? withText : newest}) as newest
      where ${isVisible(selection)} and ${buildSearchCondition(sql.ref("content"), term, "newest")} ${order}`;
  }
  // "offset 0" makes the planner use the index of parts. It would otherwise expect to find the page among the newest rows.
  return sql`select spoke_id, created_at from (
      select * from spoke_texts where ${buildSearchCondition(sql.ref("content"), term, "all")} and ${isOlder(selection)}
      offset 0
    ) as spoke where ${isVisible(selection)} ${
    isFiltered
      ? sql`and spoke_id in (with matching as ${isSparse ? sql`materialized` : sql`not materialized`} (
        select spoke_id from live_spokes where ${matchesFilters(selection)}
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

function selectRemovedSpokes({ slug, state, health, pattern, ...bounds }: SpokeSelection): RawBuilder<unknown> {
  return sql`select id, created_at from spokes where state = 'removed'
    and ${buildCursorCondition(bounds, sql.ref("created_at"), sql.ref("id"))}${
    slug ? sql` and slug = ${slug}` : sql``
  }${state ? sql` and state = ${state}` : sql``}${health ? sql` and health = ${health}` : sql``}${
    pattern ? sql` and ${buildPatternCondition(["slug", "displayName", "domain"], pattern)}` : sql``
  } order by created_at desc, id desc ${limitTo(bounds)}`;
}

function matchesFilters({ slug, state, health, ...bounds }: SpokeSelection): RawBuilder<SqlBool> {
  return sql<SqlBool>`${isOlder(bounds)}${slug ? sql` and slug = ${slug}` : sql``}${
    state ? sql` and state = ${state}` : sql``
  }${health ? sql` and health = ${health}` : sql``}`;
}

function isVisible({ federationIds, spokeIds }: SpokeSelection): RawBuilder<SqlBool> {
  if (!federationIds) return sql<SqlBool>`true`;
  return sql<SqlBool>`(federation_id = any(${federationIds}::text[]) or spoke_id = any(${spokeIds}::text[]))`;
}

function isOlder(bounds: PageBounds): RawBuilder<SqlBool> {
  return buildCursorCondition(bounds, sql.ref("created_at"), sql.ref("spoke_id"));
}

function pageOrder(bounds: PageBounds): RawBuilder<unknown> {
  return sql`order by created_at desc, spoke_id desc ${limitTo(bounds)}`;
}

function limitTo({ maxRows }: PageBounds): RawBuilder<unknown> {
  return maxRows === undefined ? sql`` : sql`limit ${maxRows}`;
}
