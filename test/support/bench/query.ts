/** Runs a single SQL statement on the test's connection pool, so that polling does not open new connections. */
import { CompiledQuery } from "kysely";
import type { Database } from "#lib/drivers/db/database.ts";

// deno-lint-ignore no-explicit-any
export async function queryRows(db: Database, text: string, params: readonly unknown[] = []): Promise<any[]> {
  return (await db.rows.executeQuery(CompiledQuery.raw(text, [...params]))).rows;
}
