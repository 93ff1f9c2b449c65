/**
 * Seals new audit events: adds them to a chain of hashes that reveals later changes. Also logs the last hash of each
 * chain, so that logs stored elsewhere can be compared with the database.
 */
import type { App } from "#lib/app.ts";
import { type ChainHead, formatChainHead } from "#lib/audit/chain.ts";
import { findUnsealedChains, getLatestSealableTime, sealNextEvents } from "#lib/audit/seals.ts";
import type { Database } from "#lib/drivers/db/database.ts";
import type { JobHandler, JobRun } from "#lib/scheduler/handler.ts";
import { MINUTE } from "#lib/base/time.ts";
import { upkeepHandler } from "#lib/steps/upkeep.ts";

/** The maximum number of audit events that one transaction seals. */
const BATCH = 1000;

export function sealAuditLog({ db }: Pick<App, "db">, batch = BATCH): JobHandler {
  return upkeepHandler({ kind: "seal-audit", every: 5 * MINUTE }, {
    chains: ["Sealing the audit log", 10 * MINUTE, async (run) => {
      const until = getLatestSealableTime(await db.now());
      for (const chain of await findUnsealedChains(db.rows, until)) {
        await sealChain(db, run, chain, { until, limit: batch });
      }
    }],
  });
}

/** Seals the new events of one hash chain in batches. After a failure, the next run continues from the last batch. */
async function sealChain(
  db: Database,
  run: JobRun,
  chain: string,
  batch: { readonly until: Date; readonly limit: number },
): Promise<void> {
  let head: ChainHead | null = null;
  try {
    for (let events = batch.limit; events === batch.limit;) {
      run.throwIfStopped();
      const sealed = await db.transact((tx) => sealNextEvents(tx, chain, batch));
      if (sealed) head = sealed.head;
      events = sealed?.events ?? 0;
    }
  } finally {
    if (head) run.log.info("Sealed the audit log", { chain, count: head.count, head: formatChainHead(head) });
  }
}
