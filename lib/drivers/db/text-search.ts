/** Builds conditions that find rows by a part of their text, ignoring case. */
import { type RawBuilder, sql, type SqlBool } from "kysely";

/** Returns the `like` pattern for text that contains `part`, with wildcards escaped. */
export function likePattern(part: string): string {
  return `%${part.replace(/[\\%_]/g, "\\$&")}%`;
}

/** Whether one of the columns matches the pattern. */
export function matchesPattern(columns: readonly string[], pattern: string): RawBuilder<SqlBool> {
  const tests = columns.map((column) => sql<SqlBool>`${sql.ref(column)} ilike ${pattern}`);
  return sql<SqlBool>`(${sql.join(tests, sql` or `)})`;
}

export function containsText(columns: readonly string[], part: string): RawBuilder<SqlBool> {
  return matchesPattern(columns, likePattern(part));
}
