/** Reads what earlier operations stored in their progress. */
import { sql } from "kysely";
import type { Rows } from "#lib/drivers/db/database.ts";

/** The number of recent operations that are searched. */
const MAX_OPERATIONS = 50;

/**
 * Returns the value under `key` in the progress of the latest successful operation that contains `expected`. Null if
 * there is none.
 */
export async function findLastProgress<Value extends object>(
  rows: Rows,
  kind: string,
  key: string,
  expected: Partial<Value>,
): Promise<Value | null> {
  const { rows: [found] } = await sql<{ kept: Value }>`
    select progress -> ${key}::text as kept from (
      select progress, finished_at from jobs where kind = ${kind} and state = 'succeeded' and visible
      order by finished_at desc limit ${MAX_OPERATIONS}
    ) as past
    where progress -> ${key}::text @> ${JSON.stringify(expected)}::text::jsonb order by finished_at desc limit 1`
    .execute(rows);
  return found?.kept ?? null;
}
