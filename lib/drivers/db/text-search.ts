/**
 * Searches lists for a part of a text, ignoring case. A frequent part is found soon among the newest rows. An index of
 * the parts of all texts finds a rare part. Neither is fast for both, so a page is read in up to two steps.
 */
import { type RawBuilder, sql, type SqlBool } from "kysely";
import type { PageBounds } from "#lib/drivers/db/pages.ts";

/** Returns a `like` pattern that matches any text containing `part`. Wildcards in `part` are escaped. */
export function buildLikePattern(part: string): string {
  return `%${part.replace(/[\\%_]/g, "\\$&")}%`;
}

/** Returns the condition that at least one of the columns matches the pattern, ignoring case. */
export function buildPatternCondition(columns: readonly string[], pattern: string): RawBuilder<SqlBool> {
  const tests = columns.map((column) => sql<SqlBool>`${sql.ref(column)} ilike ${pattern}`);
  return sql<SqlBool>`(${sql.join(tests, sql` or `)})`;
}

/** A part of a text to search for, and the `like` pattern for it. */
export interface SearchTerm {
  readonly part: string;
  readonly pattern: string;
}

/** The rows that are searched for a page: among the newest rows only, or among all rows by the index of parts. */
export type RowSource = "newest" | "all";

/** Returns the condition that `content`, a text in lower case, contains the term. */
export function buildSearchCondition(
  content: RawBuilder<unknown>,
  { part, pattern }: SearchTerm,
  from: RowSource,
): RawBuilder<SqlBool> {
  const matches = sql<SqlBool>`${content} like lower(${pattern})`;
  return from === "newest"
    ? matches
    : sql<SqlBool>`text_grams(${content}) @> search_grams(lower(${part})) and ${matches}`;
}

/** How many times more rows than a page has are searched before all rows are. */
const NEWEST_SHARE = 10;

/**
 * Reads a page of `maxRows`. Reads all rows if the newest rows do not fill the page, or if `useNewest` is false. `read`
 * gets the number of newest rows to search, or undefined for all rows. `areAll` returns whether there are no other rows.
 */
export async function readNewestOrAll<Row>(
  { maxRows }: PageBounds,
  useNewest: boolean,
  read: (newestRows: number | undefined) => Promise<Row[]>,
  areAll: (newestRows: number) => Promise<boolean> = () => Promise.resolve(false),
): Promise<Row[]> {
  if (useNewest && maxRows !== undefined) {
    const newestRows = NEWEST_SHARE * maxRows, newest = await read(newestRows);
    if (newest.length === maxRows || await areAll(newestRows)) return newest;
  }
  return await read(undefined);
}
