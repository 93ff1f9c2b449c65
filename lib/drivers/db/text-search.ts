/** Finds rows by a part of what stands in them, in whatever case. */
import { type RawBuilder, sql, type SqlBool } from "kysely";

/** What text is like that contains this. What `like` would take for a wildcard is a character as any other. */
export function likePattern(part: string): string {
  return `%${part.replace(/[\\%_]/g, "\\$&")}%`;
}

/** Whether one of the columns is like the pattern. */
export function isLike(columns: readonly string[], pattern: string): RawBuilder<SqlBool> {
  const tests = columns.map((column) => sql<SqlBool>`${sql.ref(column)} ilike ${pattern}`);
  return sql<SqlBool>`(${sql.join(tests, sql` or `)})`;
}

/** Whether one of the columns contains the text. */
export function containsText(columns: readonly string[], part: string): RawBuilder<SqlBool> {
  return isLike(columns, likePattern(part));
}
