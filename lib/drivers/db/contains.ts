/** Finds rows by a part of what stands in them, in whatever case. */
import { type RawBuilder, sql, type SqlBool } from "kysely";

/** Whether one of the columns contains the text. What `like` would take for a wildcard is a character as any other. */
export function contains(columns: readonly string[], part: string): RawBuilder<SqlBool> {
  const pattern = `%${part.replace(/[\\%_]/g, "\\$&")}%`;
  const tests = columns.map((column) => sql<SqlBool>`${sql.ref(column)} ilike ${pattern}`);
  return sql<SqlBool>`(${sql.join(tests, sql` or `)})`;
}
