/**
 * When this deployment first announced something. What is promised is time to get ready, so it counts from then on, and not
 * from the day that a release declares: it may be put into service long after that.
 */
import { sql } from "kysely";
import type { Rows } from "#lib/drivers/db/database.ts";
import type { Notice } from "#lib/base/notice.ts";

/** By the notices' ids. What is new is announced now; an earlier release may have told people of it before. */
export async function firstAnnounced(rows: Rows, notices: readonly Notice[]): Promise<ReadonlyMap<string, Date>> {
  if (notices.length === 0) return new Map();
  const ids = notices.map(({ id }) => id);
  await sql`
    insert into deprecation_announcements (notice_id, first_at)
    select id, coalesce((select min(told_at) from deprecation_notices where notice_id = id), wheelwright_now())
    from unnest(${ids}::text[]) as id order by id on conflict do nothing`.execute(rows);
  const { rows: found } = await sql<{ id: string; at: Date }>`
    select notice_id as id, first_at as at from deprecation_announcements where notice_id = any(${ids}::text[])`
    .execute(rows);
  return new Map(found.map(({ id, at }) => [id, at]));
}
