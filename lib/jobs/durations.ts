/** Reads how long operations usually take. */
import { sql } from "kysely";
import type { RowQueries } from "#lib/drivers/db/database.ts";

/** The number of newest operations whose durations are used. */
const MAX_SAMPLES = 50;

/** Returns the median duration of the newest succeeded operations of this kind, in seconds. Null if there are none. */
export async function readMedianDuration(rows: RowQueries, kind: string): Promise<number | null> {
  const { rows: [row] } = await sql<{ seconds: number | null }>`
    select percentile_cont(0.5) within group (order by took) as seconds from (
      select extract(epoch from finished_at - started_at) as took from jobs
      where kind = ${kind} and state = 'succeeded' and visible order by finished_at desc limit ${MAX_SAMPLES}
    ) as past`.execute(rows);
  return row!.seconds === null ? null : Math.round(row!.seconds);
}
