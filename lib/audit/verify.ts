/**
 * Recomputes a chain from its rows and compares it with its seal, and with heads that were exported earlier.
 *
 * All of it is read in one snapshot, in batches: what is written or sealed meanwhile changes nothing, and a long log
 * takes no more memory than a short one. What it can tell is bounded: a person who can rewrite the events can rewrite the
 * seals in the same database too, and only a head that was kept elsewhere shows that. Events that are not sealed yet are
 * compared by their number alone: the database counts them as they are written.
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
  /** Events that the seal counts; 0 where none exists. */
  readonly sealed: number;
  /** Newer events. Only their number is checked. */
  readonly unsealed: number;
  /** The highest count of the exported heads that it was compared with; 0 where there were none. */
  readonly exported: number;
}

/** `exported` holds heads of any chains; those of this one are compared. */
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
    const { all, behind, written, left } = await countLinks(tx, chain, seal?.position ?? CHAIN_START);
    const counts = new Set([...ownHeads, ...(seal ? [seal] : [])].map(({ count }) => count));
    const hashes = await recomputeHashes(tx, chain, counts, limit);
    return {
      chain,
      sealed: seal?.count ?? 0,
      unsealed: behind,
      exported: maxOf(ownHeads.map(({ count }) => count)),
      ...checkChain({ seal, exported: ownHeads, events: all, covered: all - behind, written, left, hashes }),
    };
  });
}

/** The hashes that the chain has at these counts, as far as it goes. */
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

/** Of any number of them: the heads of years are more than a call takes as arguments. */
function maxOf(counts: Iterable<number>): number {
  let max = 0;
  for (const count of counts) max = Math.max(max, count);
  return max;
}
