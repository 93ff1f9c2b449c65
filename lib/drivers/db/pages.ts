/**
 * Reads lists page by page, newest first. Pages never skip or repeat rows with the same time, because the cursor for
 * the next page contains the time and the ID of the last row.
 */
import { type RawBuilder, type SelectQueryBuilder, sql, type SqlBool } from "kysely";
import { formatCursor, type PageCursor } from "#lib/base/schema.ts";

export interface ListPageRequest {
  /** The maximum number of rows on the page. If absent, the complete list is read. */
  readonly limit?: number | undefined;
  /** Returns only rows that are older than this row or time. */
  readonly before?: PageCursor | undefined;
}

export interface ListPage<Item> {
  readonly items: readonly Item[];
  /** The cursor to pass as `before` to read the next page. Null on the last page. */
  readonly next: string | null;
  /** The other parts of a complete list (lib/http/complete-list.ts). Absent if `items` is the whole page. */
  readonly rest?: AsyncIterable<readonly Item[]>;
}

/** The limits for a page's query, as separate values for the parameters of a prepared query. */
export interface PageBounds {
  /** The page size plus one. The extra row shows whether there is another page. */
  readonly maxRows?: number | undefined;
  readonly beforeAt?: Date | undefined;
  readonly beforeId?: string | undefined;
}

type ReadPageRows<Row> = (bounds: PageBounds) => Promise<Row[]>;

type KeyOf<Row> = (row: Row) => readonly [at: Date, id: string];

/** Reads a page. `read` returns rows ordered by time and ID, descending; `keyOf` returns a row's time and ID. */
export async function readPage<Row>(
  { limit, before }: ListPageRequest,
  read: ReadPageRows<Row>,
  keyOf: KeyOf<Row>,
): Promise<ListPage<Row>> {
  const most = limit === undefined ? undefined : limit + 1;
  const found = await read({ maxRows: most, beforeAt: before?.at, beforeId: before?.id });
  if (limit === undefined || found.length <= limit) return { items: found, next: null };
  const items = found.slice(0, limit);
  return { items, next: formatCursor(...keyOf(items[limit - 1]!)) };
}

/** The maximum number of extra rows on a page whose last rows have the same time. */
const MAX_TIES = 100;

/**
 * Reads a page for clients that continue from the time of the last row. If the cursor contains no row ID, the page
 * includes all rows with the same time as its last row, so that no row is skipped.
 */
export async function readPageByTime<Row>(
  request: ListPageRequest & { readonly limit: number },
  read: ReadPageRows<Row>,
  keyOf: KeyOf<Row>,
): Promise<ListPage<Row>> {
  const page = await readPage(request, read, keyOf);
  if (page.next === null || request.before?.id !== undefined) return page;
  const timeOf = (row: Row) => keyOf(row)[0].getTime();
  const [at, id] = keyOf(page.items.at(-1)!), last = at.getTime();
  const following = await readPage({ limit: 1, before: { at, id } }, read, keyOf);
  if (following.items.every((row) => timeOf(row) < last)) return page;
  const longer = await readPage({ ...request, limit: request.limit + MAX_TIES }, read, keyOf);
  const items = longer.items.filter((row) => timeOf(row) >= last);
  const isEnd = longer.next === null && items.length === longer.items.length;
  return { items, next: isEnd ? null : formatCursor(...keyOf(items.at(-1)!)) };
}

/** Reads a page of rows, newest first, ordered by `createdAt` and `id`. */
export async function readNewestRows<DB, Table extends keyof DB, Row extends { createdAt: Date; id: string }>(
  query: SelectQueryBuilder<DB, Table, Row>,
  request: ListPageRequest,
): Promise<ListPage<Row>> {
  return await readPage<Row>(
    request,
    (bounds) => addNewestFirstOrder(query, bounds).execute() as Promise<Row[]>,
    ({ createdAt, id }) => [createdAt, id],
  );
}

interface PageOrder {
  readonly at?: string;
  readonly id?: string;
  /** An SQL expression to compare with `id`, instead of the cursor's ID. */
  readonly last?: RawBuilder<unknown>;
}

/** Adds a page's sort order, cursor condition and row limit to the query. */
export function addNewestFirstOrder<DB, Table extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, Table, Row>,
  bounds: PageBounds,
  { at = "createdAt", id = "id", last }: PageOrder = {},
): SelectQueryBuilder<DB, Table, Row> {
  const time = sql.ref(at), key = sql.ref(id);
  const ordered = query.where(buildCursorCondition(bounds, time, key, last)).orderBy(time, "desc").orderBy(key, "desc");
  return bounds.maxRows === undefined ? ordered : ordered.modifyEnd(sql`limit ${bounds.maxRows}`);
}

/** Returns the SQL condition for rows that come after the cursor. `at` and `id` are a row's time and ID. */
export function buildCursorCondition(
  { beforeAt, beforeId }: PageBounds,
  at: RawBuilder<unknown>,
  id: RawBuilder<unknown>,
  last?: RawBuilder<unknown>,
): RawBuilder<SqlBool> {
  if (!beforeAt) return sql`true`;
  return beforeId ? sql`(${at}, ${id}) < (${beforeAt}, ${last ?? beforeId})` : sql`${at} < ${beforeAt}`;
}

/** Returns the page with different items and the same cursor for the next page. */
export function withPageItems<Item>(page: ListPage<unknown>, items: readonly Item[]): ListPage<Item> {
  return { items, next: page.next };
}
