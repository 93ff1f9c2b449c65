/**
 * Recomputes a chain from its rows and compares it with its seal and with exported heads. All rows are read in one
 * snapshot, in batches, so concurrent writes change nothing and long logs need no more memory. Somebody who can rewrite
 * the events can also rewrite the seal in the same database; only a head stored elsewhere reveals that. Unsealed events
 * are only compared by number, which the database counts.
 */
import { sql } from "kysely";
import { FIRST_PREVIOUS_HASH, hashLink } from "#lib/audit/chain.ts";
import type { ChainHead } from "#lib/audit/head.ts";
import { type ChainPosition, countLinks, readLinks } from "#lib/audit/links.ts";
import { readSeal } from "#lib/audit/seals.ts";
import { type ChainResult, checkChain } from "#lib/audit/check-chain.ts";
import type { Database, Rows } from "#lib/drivers/db/database.ts";

const BATCH_SIZE = 1000;
const CHAIN_START: ChainPosition = { at: "-infinity", id: "" };

export interface Verification extends ChainResult {
  readonly chain: string;
  /** The number of sealed events; 0 without a seal. */
  readonly sealed: number;
  /** The number of newer events. Only this number is checked. */
  readonly unsealed: number;
  /** The highest count of the compared exported heads; 0 without any. */
  readonly exported: number;
}

/** Verifies a chain. `exported` may contain heads of other chains, which are ignored. */
export async function verifyChain(
  db: Database,
  chain: string,
  exported: readonly ChainHead[],
  limit = BATCH_SIZE,
): Promise<Verification> {
  const ownHeads = exported.filter((head) => head.chain === chain);
  return await db.transact(async (tx) => {
    await sql`set transaction isolation level repeatable read, read only`.execute(tx);
    const seal = await readSeal(tx, chain);
    const { all, behind, written } = await countLinks(tx, chain, seal?.position ?? CHAIN_START);
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

/** Returns the chain's hash at each of these counts. Counts beyond the end of the chain are omitted. */
async function recomputeHashes(
  rows: Rows,
  chain: string,
  counts: ReadonlySet<number>,
  limit: number,
): Promise<Map<number, string>> {
  const hashes = new Map<number, string>(), end = maxOf(counts);
  let count = 0, hash = FIRST_PREVIOUS_HASH, after = CHAIN_START;
  while (count < end) {
    const links = await readLinks(rows, chain, { after, limit });
    for (const link of links) {
      hash = hashLink(hash, link);
      count += 1;
      if (counts.has(count)) hashes.set(count, hash);
    }
    if (links.length === 0) break;
    after = links.at(-1)!.position;
  }
  return hashes;
}

/** Returns the maximum. Math.max cannot take as many arguments as there may be heads. */
function maxOf(counts: Iterable<number>): number {
  let max = 0;
  for (const count of counts) max = Math.max(max, count);
  return max;
}
