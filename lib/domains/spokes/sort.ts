/** Sorts lists of spokes: builds the SQL order, and the conditions and cursors of pages. */
import { type RawBuilder, sql, type SqlBool } from "kysely";
import { buildCursorCondition, type PageBounds } from "#lib/drivers/db/pages.ts";

export const SPOKE_SORTS = ["newest", "oldest", "last-failure", "storage"] as const;
export type SpokeSort = (typeof SPOKE_SORTS)[number];

/** The sort order of a page, and the position at which the page starts. By default, the newest spokes are first. */
export interface SpokeOrder extends PageBounds {
  readonly isOldestFirst?: true | undefined;
  readonly isByFailure?: true | undefined;
  readonly isByStorage?: true | undefined;
  /** The storage percentage at which the page starts, instead of a time. -1 if it is unknown. */
  readonly beforePercent?: number | undefined;
}

/** Returns a sort order as flags, because a prepared query depends on which values are present (prepare.ts). */
export function resolveSpokeSort(sort: SpokeSort | undefined): SpokeOrder {
  switch (sort) {
    case "oldest":
      return { isOldestFirst: true };
    case "last-failure":
      return { isByFailure: true };
    case "storage":
      return { isByStorage: true };
    default:
      return {};
  }
}

/** The table with all spokes, or the one with the values of live spokes by which lists are filtered and sorted. */
export type SpokeTable = "spokes" | "live_spokes";

/** Returns the storage percentage, or -1 if it is unknown. */
export function storageRankOf(table: SpokeTable): RawBuilder<unknown> {
  return table === "spokes" ? sql`coalesce(storage_percent, -1)` : sql.ref("storageRank");
}

/** Returns the column or expression by which spokes are sorted. */
export function sortKeyOf({ isByFailure, isByStorage }: SpokeOrder, table: SpokeTable): RawBuilder<unknown> {
  return isByStorage ? storageRankOf(table) : sql.ref(isByFailure ? "lastFailedAt" : "createdAt");
}

const idOf = (table: SpokeTable) => sql.ref(table === "spokes" ? "id" : "spokeId");

type SortedSpoke = Readonly<{ createdAt: Date; lastFailedAt: Date | null; storagePercent: number | null }>;

/**
 * Returns the time in the cursor after a spoke. In the order of storage, the milliseconds of the time are the percentage
 * plus 1, or 0 if the percentage is unknown.
 */
export function cursorTimeOf({ isByFailure, isByStorage }: SpokeOrder, spoke: SortedSpoke): Date {
  if (isByStorage) return new Date((spoke.storagePercent ?? -1) + 1);
  return isByFailure ? spoke.lastFailedAt! : spoke.createdAt;
}

/** Returns the page's bounds with the percentage from the cursor, if the list is sorted by storage. */
export function resolveSpokeBounds({ isByStorage }: SpokeOrder, { beforeAt, ...bounds }: PageBounds): SpokeOrder {
  if (!isByStorage || !beforeAt) return { ...bounds, beforeAt };
  return { ...bounds, beforePercent: Math.min(101, beforeAt.getTime() - 1) };
}

/** Returns the condition for rows that come after the cursor, and that the sort order includes. */
export function isAfterCursor(order: SpokeOrder, table: SpokeTable): RawBuilder<SqlBool> {
  const { isOldestFirst, isByFailure, isByStorage, beforeAt, beforeId, beforePercent } = order,
    at = sortKeyOf(order, table),
    key = idOf(table);
  if (isByStorage) {
    if (beforePercent === undefined) return sql<SqlBool>`true`;
    return beforeId ? sql`(${at}, ${key}) < (${beforePercent}, ${beforeId})` : sql`${at} < ${beforePercent}`;
  }
  if (!isOldestFirst) {
    const isOlder = buildCursorCondition(order, at, key);
    return isByFailure ? sql<SqlBool>`${isOlder} and last_failed_at is not null` : isOlder;
  }
  if (!beforeAt) return sql<SqlBool>`true`;
  return beforeId ? sql`(${at}, ${key}) > (${beforeAt}, ${beforeId})` : sql`${at} > ${beforeAt}`;
}

/** Returns the `order by` clause. */
export function orderOf(order: SpokeOrder, table: SpokeTable): RawBuilder<unknown> {
  const at = sortKeyOf(order, table), key = idOf(table);
  return order.isOldestFirst ? sql`order by ${at}, ${key}` : sql`order by ${at} desc, ${key} desc`;
}
