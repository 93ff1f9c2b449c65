/**
 * Reads the audit events in a chain (all events of one hub) in order, in batches. IDs are compared byte by byte rather
 * than by the database's collation, so that a restored dump gives the same order. The query also orders by
 * `federation_id`, although it is constant within a chain, because PostgreSQL would otherwise sort all events for each
 * batch of the system chain.
 */
import { type RawBuilder, sql } from "kysely";
import { type ChainedEvent, SYSTEM_CHAIN } from "#lib/audit/chain.ts";
import type { RowQueries } from "#lib/drivers/db/database.ts";

/** An event's position in its chain. `at` is a timestamp as text, because it can be `-infinity`. */
export interface ChainPosition {
  readonly at: string;
  readonly id: string;
}

interface LinkBatch {
  readonly after: ChainPosition;
  readonly limit: number;
  /** The time up to which events are read. If undefined, all events are read. */
  readonly until?: Date;
}

export async function readChainedEvents(
  rows: RowQueries,
  chain: string,
  batch: LinkBatch,
): Promise<(ChainedEvent & { position: ChainPosition })[]> {
  const { after, limit, until } = batch;
  const { rows: found } = await sql<ChainedEvent & { stands: string }>`
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
  readonly all: number;
  /** The number of events after the given position. */
  readonly behind: number;
  /** The number of events that were ever written, according to a counter in the database. */
  readonly written: number;
}

/** Counts all events in the chain, and the events after the given position. */
export async function countChainedEvents(rows: RowQueries, chain: string, after: ChainPosition): Promise<LinkCounts> {
  const { rows: [row] } = await sql<Record<keyof LinkCounts, string>>`
    select count(*) as all, count(*) filter (where ${isAfter(after)}) as behind,
      (select coalesce(sum(events), 0) from audit_counts where chain = ${chain}) as written
    from audit_events where ${isInChain(chain)}`.execute(rows);
  const { all, behind, written } = row!;
  return { all: Number(all), behind: Number(behind), written: Number(written) };
}

function isInChain(chain: string): RawBuilder<boolean> {
  return chain === SYSTEM_CHAIN ? sql`federation_id is null` : sql`federation_id = ${chain}`;
}

/** Returns an SQL condition that matches events after a position. Its first part lets PostgreSQL use an index. */
function isAfter({ at, id }: ChainPosition): RawBuilder<boolean> {
  return sql`(audit_events.at >= ${at}::timestamptz
    and (audit_events.at > ${at}::timestamptz or id collate "C" > ${id}))`;
}
