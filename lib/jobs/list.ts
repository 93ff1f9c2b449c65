/** Lists the operations of many hubs and spokes, newest first. */
import { type RawBuilder, sql } from "kysely";
import {
  type ListPage,
  type ListPageRequest,
  type PageBounds,
  readPage,
  withPageItems,
} from "#lib/drivers/db/pages.ts";
import type { RowQueries } from "#lib/drivers/db/database.ts";
import { jobSummaryColumns } from "#lib/jobs/summary-columns.ts";
import type { Job, JobState } from "#lib/jobs/job.ts";
import { toJob } from "#lib/jobs/store.ts";

/** The states by which operations are filtered. `unfinished` means queued or running. */
export const OPERATION_STATE_FILTERS = ["unfinished", "queued", "running", "succeeded", "failed", "cancelled"] as const;

export interface OperationSelection extends ListPageRequest {
  readonly state?: (typeof OPERATION_STATE_FILTERS)[number] | undefined;
  /** The ID of the only hub whose operations, and those of whose spokes, are listed. */
  readonly federationId?: string | undefined;
  /** The hubs and spokes whose operations are listed. Null for all. */
  readonly owners: { readonly federationIds: readonly string[]; readonly spokeIds: readonly string[] } | null;
}

/** Lists operations. The cost depends on the number of owners, but not on the number of operations. */
export async function listOperationsOfMany(
  rows: RowQueries,
  { state, owners, federationId, ...request }: OperationSelection,
): Promise<ListPage<Job>> {
  const states: readonly JobState[] | null = state === undefined
    ? null
    : state === "unfinished"
    ? ["queued", "running"]
    : [state];
  const page = await readPage(request, async (bounds) => {
    const ids = sql<string>`(select id from (${selectPage(states, owners, bounds, federationId)}) as page)`;
    return await rows.selectFrom("jobs").select(jobSummaryColumns).where("id", "=", sql<string>`any(array${ids})`)
      .orderBy("createdAt", "desc").orderBy("seq", "desc").execute();
  }, (row) => [row.createdAt, row.id]);
  return withPageItems(page, page.items.map(toJob));
}

function selectPage(
  states: readonly JobState[] | null,
  owners: OperationSelection["owners"],
  bounds: PageBounds,
  federationId: string | undefined,
): RawBuilder<unknown> {
  const order = sql`order by created_at desc, seq desc limit ${bounds.maxRows}`;
  const { beforeAt, beforeId } = bounds;
  const isOlder = !beforeAt
    ? sql`true`
    : beforeId
    ? sql`(created_at, seq) < (${beforeAt}, (select seq from jobs where id = ${beforeId}))`
    : sql`created_at < ${beforeAt}`;
  // One scan for each state and owner, because an index has the order of the page only for a single state and owner.
  const ofState = (owner: RawBuilder<unknown>) => {
    const scans = (states ?? [null]).map((state) =>
      sql`(select id, created_at, seq from jobs where visible and ${owner} and ${isOlder}${
        state === null ? sql`` : sql` and state = ${sql.lit(state)}`
      } ${order})`
    );
    return sql`select * from (${sql.join(scans, sql` union all `)}) as scan ${order}`;
  };
  const ofSpoke = sql`spoke_id = spoke.id${
    federationId === undefined ? sql`` : sql` and federation_id = ${federationId}`
  }`;
  if (owners === null) return ofState(sql`true`);
  return sql`select * from (
      select own.* from unnest(${owners.federationIds}::text[]) as hub (id)
        cross join lateral (${ofState(sql`federation_id = hub.id`)}) as own
      union
      select own.* from unnest(${owners.spokeIds}::text[]) as spoke (id)
        cross join lateral (${ofState(ofSpoke)}) as own
    ) as found ${order}`;
}
