/** Reads the time of the database. */
import { sql } from "kysely";
import type { RowQueries } from "#lib/drivers/db/database.ts";

/** Returns the database's time, which all replicas share. Tests can set it. */
export async function readDatabaseTime(rows: RowQueries): Promise<Date> {
  const { rows: [clock] } = await sql<{ now: Date }>`select wheelwright_now() as now`.execute(rows);
  return clock!.now;
}
