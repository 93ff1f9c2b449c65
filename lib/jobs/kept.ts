/** What operations have kept in their progress, for others of their kind. */
import { sql } from "kysely";
import type { Rows } from "#lib/drivers/db/database.ts";

/** Operations that are looked at, latest first. */
const LOOKED_BACK = 50;

/** Of the last that has succeeded and kept, under this key, what holds these values. */
export async function lastKept<Kept extends object>(
  rows: Rows,
  kind: string,
  key: string,
  holding: Partial<Kept>,
): Promise<Kept | null> {
  const { rows: [found] } = await sql<{ kept: Kept }>`
    select progress -> ${key}::text as kept from (
      select progress, finished_at from jobs where kind = ${kind} and state = 'succeeded' and visible
      order by finished_at desc limit ${LOOKED_BACK}
    ) as past
    where progress -> ${key}::text @> ${JSON.stringify(holding)}::text::jsonb order by finished_at desc limit 1`
    .execute(rows);
  return found?.kept ?? null;
}
