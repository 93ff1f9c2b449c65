/** Builds conditions that find rows by part of their text, ignoring case. */
import { type RawBuilder, sql, type SqlBool } from "kysely";

/** Returns a `like` pattern that matches any text containing `part`. Wildcards in `part` are escaped. */
export function buildLikePattern(part: string): string {
  return `%${part.replace(/[\\%_]/g, "\\$&")}%`;
}

/** Returns the condition that at least one of the columns matches the pattern, ignoring case. */
export function buildPatternCondition(columns: readonly string[], pattern: string): RawBuilder<SqlBool> {
  const tests = columns.map((column) => sql<SqlBool>`${sql.ref(column)} ilike ${pattern}`);
  return sql<SqlBool>`(${sql.join(tests, sql` or `)})`;
}

export function buildTextSearchCondition(columns: readonly string[], part: string): RawBuilder<SqlBool> {
  return buildPatternCondition(columns, buildLikePattern(part));
}
