/**
 * The events of a chain, in the chain's order, a batch at a time.
 *
 * Ids are compared byte by byte and not as the database's language would: a dump that is restored under another
 * language must give the same order. `federation_id` stands in the order although it is constant, because the index
 * does not take "is null" for a constant, and would have all events of the system chain sorted for each batch.
 */
import { type RawBuilder, sql } from "kysely";
import { type ChainLink, SYSTEM_CHAIN } from "#lib/audit/chain.ts";
import type { Rows } from "#lib/drivers/db/database.ts";

/** Where an event stands in its chain; `at` is the text of the timestamp, since it may be `-infinity`. */
export interface ChainPosition {
  readonly at: string;
  readonly id: string;
}

interface LinkBatch {
  readonly after: ChainPosition;
  readonly limit: number;
  /** Only events that are not newer. */
  readonly until?: Date;
}

export async function readLinks(
  rows: Rows,
  chain: string,
  batch: LinkBatch,
): Promise<(ChainLink & { position: ChainPosition })[]> {
  const { after, limit, until } = batch;
  const { rows: found } = await sql<ChainLink & { stands: string }>`
    select id, kind, actor_id as "actorId", actor_email as "actorEmail", object_type as "objectType",
      object_id as "objectId", metadata::text as metadata, ip, user_agent as "userAgent",
      trim_scale((extract(epoch from at) * 1000)::numeric)::text as at, federation_id as "federationId",
      spoke_id as "spokeId", audience_user_id as "audienceUserId", customer_visible as "customerVisible",
      at::text as stands
    from audit_events
    where ${isInChain(chain)} and ${isAfter(after)} ${until ? sql`and at <= ${until}` : sql``}
    order by federation_id desc, audit_events.at, id collate "C" limit ${limit}`.execute(rows);
  return found.map(({ stands, ...link }) => ({ ...link, position: { at: stands, id: link.id } }));
}

interface LinkCounts {
  /** Events of the chain. */
  readonly all: number;
  /** Events after the position. */
  readonly behind: number;
  /** Events that the database counted as they were written, and how many of those exist. */
  readonly written: number;
  readonly left: number;
}

/** Counts the chain's events, and those of them after the position. */
export async function countLinks(rows: Rows, chain: string, after: ChainPosition): Promise<LinkCounts> {
  const { rows: [row] } = await sql<Record<keyof LinkCounts, string>>`
    select count(*) as all, count(*) filter (where ${isAfter(after)}) as behind,
      (select coalesce(sum(events), 0) from audit_counts where chain = ${chain}) as written,
      count(*) filter (where audit_events.at >= (select first_at from audit_counts where chain = ${chain})) as left
    from audit_events where ${isInChain(chain)}`.execute(rows);
  const { all, behind, written, left } = row!;
  return { all: Number(all), behind: Number(behind), written: Number(written), left: Number(left) };
}

function isInChain(chain: string): RawBuilder<boolean> {
  return chain === SYSTEM_CHAIN ? sql`federation_id is null` : sql`federation_id = ${chain}`;
}

/** The first comparison is one that an index can begin at. */
function isAfter({ at, id }: ChainPosition): RawBuilder<boolean> {
  return sql`(audit_events.at >= ${at}::timestamptz
    and (audit_events.at > ${at}::timestamptz or id collate "C" > ${id}))`;
}
