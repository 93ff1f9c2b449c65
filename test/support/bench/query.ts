/** Runs a single statement over the test's own pool, so that polling does not open a new connection each time. */
import { CompiledQuery } from "kysely";
import type { Database } from "#lib/drivers/db/database.ts";

// deno-lint-ignore no-explicit-any
export async function queryRows(db: Database, text: string, params: readonly unknown[] = []): Promise<any[]> {
  return (await db.rows.executeQuery(CompiledQuery.raw(text, [...params]))).rows;
}
