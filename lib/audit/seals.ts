/**
 * Seals the audit log: hashes each hub's new events in batches, chaining each hash to the previous one, and stores the
 * last hash. Each batch locks the chain's row before reading, so that concurrent runs and crashes cannot skip an event
 * or seal it twice. lib/changes assigns times in commit order, so no event can later appear before a sealed one.
 */
import { sql } from "kysely";
import { type ChainHead, hashChainedEvent, SYSTEM_CHAIN } from "#lib/audit/chain.ts";
import { type ChainPosition, readChainedEvents } from "#lib/audit/links.ts";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";
import { MINUTE } from "#lib/base/time.ts";

/** How old an event must be before it is sealed, so that no open transaction can still write an earlier event. */
const SETTLING_TIME = MINUTE;

interface Seal extends ChainHead {
  readonly position: ChainPosition;
  readonly sealedAt: Date;
}

/** Returns the time up to which audit events may be sealed. */
export function getLatestSealableTime(now: Date): Date {
  return new Date(now.getTime() - SETTLING_TIME);
}

/** Returns the chains that have unsealed events from before the time `until`. */
export async function findUnsealedChains(rows: RowQueries, until: Date): Promise<string[]> {
  const { rows: found } = await sql<{ chain: string }>`select chain from (${selectNextUnsealed(until)}) as next`
    .execute(
      rows,
    );
  return found.map(({ chain }) => chain);
}

/** Selects the first unsealed event in each chain. This takes one index lookup per hub, however long the log is. */
function selectNextUnsealed(until: Date) {
  // The ORDER BY makes PostgreSQL use the index, because every other query plan would need an extra sort.
  const next = sql`audit_events.at >= coalesce(seal.last_at, '-infinity') and audit_events.at <= ${until}
    and (seal.chain is null or audit_events.at > seal.last_at or audit_events.id collate "C" > seal.last_id)
    order by federation_id desc, audit_events.at limit 1`;
  return sql`
    select ${SYSTEM_CHAIN}::text as chain, event.at
    from (select) as one left join audit_seals as seal on seal.chain = ${SYSTEM_CHAIN},
    lateral (select at from audit_events where federation_id is null and ${next}) as event
    union all
    select federations.id, event.at from federations left join audit_seals as seal on seal.chain = federations.id,
    lateral (select at from audit_events where federation_id = federations.id and ${next}) as event`;
}

/** Returns the time of the oldest event that is not sealed yet; null if all events are sealed. */
export async function findOldestUnsealedTime(rows: RowQueries, until: Date): Promise<Date | null> {
  const { rows: [row] } = await sql<{ oldest: Date | null }>`select min(at) as oldest from (${
    selectNextUnsealed(until)
  }) as next`
    .execute(rows);
  return row!.oldest;
}

/** Seals the chain's next events: at most `limit`, and none newer than `until`. Returns null if there are none. */
export async function sealNextEvents(
  tx: Tx,
  chain: string,
  batch: { readonly until: Date; readonly limit: number },
): Promise<{ readonly head: ChainHead; readonly events: number } | null> {
  const { count, hash, position } = await lockSeal(tx, chain);
  const links = await readChainedEvents(tx, chain, { ...batch, after: position });
  const last = links.at(-1);
  if (!last) return null;
  const head = { chain, count: count + links.length, hash: links.reduce(hashChainedEvent, hash) };
  await sql`update audit_seals set count = ${head.count}, head = ${head.hash}, last_at = ${last.position.at}::timestamptz,
    last_id = ${last.position.id}, sealed_at = wheelwright_now() where chain = ${chain}`.execute(tx);
  return { head, events: links.length };
}

/** Locks and returns the row of a chain's seal. Later statements see all events that were committed before. */
async function lockSeal(tx: Tx, chain: string): Promise<Seal> {
  await sql`insert into audit_seals (chain) values (${chain}) on conflict do nothing`.execute(tx);
  const { rows: [row] } = await sql<SealRow>`${selectSeals} where chain = ${chain} for update`.execute(tx);
  return toSeal(row!);
}

/** Returns a chain's seal; undefined if nothing in the chain has been sealed yet. */
export async function readChainSeal(rows: RowQueries, chain: string): Promise<Seal | undefined> {
  const { rows: [row] } = await sql<SealRow>`${selectSeals} where chain = ${chain} and count > 0`.execute(rows);
  return row && toSeal(row);
}

/** Returns the seals of all chains, ordered by chain ID. */
export async function readChainSeals(rows: RowQueries): Promise<Seal[]> {
  const { rows: found } = await sql<SealRow>`${selectSeals} where count > 0 order by chain collate "C"`.execute(rows);
  return found.map(toSeal);
}

/** Returns the IDs of all chains that have events, a seal or an event count. */
export async function listChains(rows: RowQueries): Promise<string[]> {
  const { rows: found } = await sql<{ chain: string }>`
    select chain from (
      select chain from audit_seals where count > 0
      union select chain from audit_counts
      union select id from federations where exists (select from audit_events where federation_id = federations.id)
      union select ${SYSTEM_CHAIN} where exists (select from audit_events where federation_id is null)
    ) as chains order by chain collate "C"`.execute(rows);
  return found.map(({ chain }) => chain);
}

interface SealRow {
  chain: string;
  count: string;
  head: string;
  lastAt: string;
  lastId: string;
  sealedAt: Date;
}

const selectSeals = sql`select chain, count, head, last_at::text as last_at, last_id, sealed_at from audit_seals`;

function toSeal(row: SealRow): Seal {
  return {
    chain: row.chain,
    count: Number(row.count),
    hash: row.head,
    position: { at: row.lastAt, id: row.lastId },
    sealedAt: row.sealedAt,
  };
}
