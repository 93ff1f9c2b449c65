/**
 * Verifies a chain (the audit events of one hub): recomputes its hashes and compares them with its seal, which is the
 * last hash that the database stored, and with hashes that were exported earlier. All rows are read in batches from a
 * single snapshot, so that concurrent writes do not matter. Events that are not sealed yet are only counted.
 */
import { sql } from "kysely";
import { CHAIN_START_HASH, type ChainHead, hashChainedEvent } from "#lib/audit/chain.ts";
import { type ChainPosition, countChainedEvents, readChainedEvents } from "#lib/audit/links.ts";
import { readChainSeal } from "#lib/audit/seals.ts";
import { type ChainCheckResult, checkChain } from "#lib/audit/check-chain.ts";
import type { Database, RowQueries } from "#lib/drivers/db/database.ts";

const BATCH_SIZE = 1000;
const CHAIN_START: ChainPosition = { at: "-infinity", id: "" };

export interface ChainVerification extends ChainCheckResult {
  readonly chain: string;
  /** The number of sealed events; 0 if the chain has no seal. */
  readonly sealed: number;
  /** The number of events after the last sealed event. These events are only counted, not verified. */
  readonly unsealed: number;
  /** The highest event count among the exported heads that were compared; 0 without exported heads. */
  readonly exported: number;
}

/** Verifies a chain of audit events. Ignores heads in `exported` that belong to other chains. */
export async function verifyChain(
  db: Database,
  chain: string,
  exported: readonly ChainHead[],
  limit = BATCH_SIZE,
): Promise<ChainVerification> {
  const ownHeads = exported.filter((head) => head.chain === chain);
  return await db.transact(async (tx) => {
    await sql`set transaction isolation level repeatable read, read only`.execute(tx);
    const seal = await readChainSeal(tx, chain);
    const { all, behind, written } = await countChainedEvents(tx, chain, seal?.position ?? CHAIN_START);
    const counts = new Set([...ownHeads, ...(seal ? [seal] : [])].map(({ count }) => count));
    const hashes = await recomputeHashes(tx, chain, counts, limit);
    return {
      chain,
      sealed: seal?.count ?? 0,
      unsealed: behind,
      exported: maxOf(ownHeads.map(({ count }) => count)),
      ...checkChain({ seal, exported: ownHeads, events: all, covered: all - behind, written, hashes }),
    };
  });
}

/** Returns the chain's hash after its first n events, for each n in `counts` up to the chain's length. */
async function recomputeHashes(
  rows: RowQueries,
  chain: string,
  counts: ReadonlySet<number>,
  limit: number,
): Promise<Map<number, string>> {
  const hashes = new Map<number, string>(), end = maxOf(counts);
  let count = 0, hash = CHAIN_START_HASH, after = CHAIN_START;
  while (count < end) {
    const links = await readChainedEvents(rows, chain, { after, limit });
    for (const link of links) {
      hash = hashChainedEvent(hash, link);
      count += 1;
      if (counts.has(count)) hashes.set(count, hash);
    }
    if (links.length === 0) break;
    after = links.at(-1)!.position;
  }
  return hashes;
}

/** Returns the largest number. Unlike `Math.max(...counts)`, it works for any number of values. */
function maxOf(counts: Iterable<number>): number {
  let max = 0;
  for (const count of counts) max = Math.max(max, count);
  return max;
}
