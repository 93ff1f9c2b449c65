/** Finds a value that an earlier operation saved in its progress. */
import { sql } from "kysely";
import type { RowQueries } from "#lib/drivers/db/database.ts";

/** The maximum number of past operations to search, newest first. */
const MAX_OPERATIONS = 50;

/**
 * Searches the latest successful operations of a kind for a progress value under `key` that contains `expected`.
 * Returns the newest match, or null.
 */
export async function findSavedProgress<Value extends object>(
  rows: RowQueries,
  kind: string,
  key: string,
  expected: Partial<Value>,
): Promise<Value | null> {
  const { rows: [row] } = await sql<{ kept: Value }>`
    select progress -> ${key}::text as kept from (
      select progress, finished_at from jobs where kind = ${kind} and state = 'succeeded' and visible
      order by finished_at desc limit ${MAX_OPERATIONS}
    ) as past
    where progress -> ${key}::text @> ${JSON.stringify(expected)}::text::jsonb order by finished_at desc limit 1`
    .execute(rows);
  return row?.kept ?? null;
}
