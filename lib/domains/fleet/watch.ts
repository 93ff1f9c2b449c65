/**
 * Counts the fleet again and again, on one replica. That one holds a lock of its control connection's session: when it dies,
 * or its connection does, the lock is free, and another replica has it at its next try.
 */
import type { App } from "#lib/app.ts";
import { messageOf } from "#lib/base/errors.ts";
import { SECOND, sleep } from "#lib/base/time.ts";
import { countFleet, type Fleet } from "#lib/domains/fleet/count.ts";

const COUNT_INTERVAL = 30 * SECOND;
const TRY_LEAD = "select pg_try_advisory_lock(hashtextextended('wheelwright: fleet', 0)) as leads";

export interface FleetWatch {
  /** The last count, or null where another replica leads, or the database did not answer. */
  last(): Fleet | null;
  /** Resolves after the look that is under way. */
  whenCounted(): Promise<void>;
  close(): Promise<void>;
}

export function watchFleet({ db, log }: Pick<App, "db" | "log">, intervalMs = COUNT_INTERVAL): FleetWatch {
  let last: Fleet | null = null, failing = false;

  async function count(): Promise<void> {
    try {
      const [row] = await db.control.query(TRY_LEAD);
      last = row!.leads ? await countFleet(db) : null;
      failing = false;
    } catch (error) {
      last = null;
      if (!failing) log.warn("Cannot count the fleet for metrics; trying again", { reason: messageOf(error) });
      failing = true;
    }
  }

  let counting = count();
  const end = new AbortController();
  run().catch(() => {}); // closed

  async function run(): Promise<void> {
    for (;;) {
      await counting; // a slow one is followed by no crowd
      await sleep(intervalMs, end.signal);
      counting = count();
    }
  }

  return {
    last: () => last,
    whenCounted: () => counting,
    async close() {
      end.abort();
      await counting;
    },
  };
}
