/** One statement as it stands, over the pool of the test's own: whoever polls must not open a connection at each look. */
import { CompiledQuery } from "kysely";
import type { Database } from "#lib/drivers/db/database.ts";

// deno-lint-ignore no-explicit-any
export async function query(db: Database, text: string, params: readonly unknown[] = []): Promise<any[]> {
  return (await db.rows.executeQuery(CompiledQuery.raw(text, [...params]))).rows;
}
