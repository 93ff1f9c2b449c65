/** Finds the number of Moodle's parts that an earlier operation installed or upgraded. */
import { sql } from "kysely";
import type { RowQueries } from "#lib/drivers/db/database.ts";

/** The maximum number of past operations to search, newest first. */
const MAX_OPERATIONS = 50;

/** Searches the latest successful operations of a kind. `way` is what they installed, as in their progress. */
export async function findPartCount(rows: RowQueries, kind: string, way: string): Promise<number | null> {
  const { rows: [row] } = await sql<{ count: unknown }>`
    select progress -> 'parts' -> 'count' as count from (
      select progress, finished_at from jobs where kind = ${kind} and state = 'succeeded' and visible
      order by finished_at desc limit ${MAX_OPERATIONS}
    ) as past
    where progress -> 'parts' ->> 'way' = ${way} order by finished_at desc limit 1`.execute(rows);
  return typeof row?.count === "number" ? row.count : null;
}
