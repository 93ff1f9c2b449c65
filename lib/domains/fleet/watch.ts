/**
 * Counts the fleet again and again, on one replica. That one holds a lock of its control connection's session: when it dies,
 * or its connection does, the lock is free, and another replica has it at its next try.
 */
import type { App } from "#lib/app.ts";
import { messageOf } from "#lib/base/errors.ts";
import { SECOND, sleep } from "#lib/base/time.ts";
import { countFleet, type Fleet } from "#lib/domains/fleet/count.ts";

const EVERY = 30 * SECOND;
const LEAD = "select pg_try_advisory_lock(hashtextextended('wheelwright: fleet', 0)) as leads";

export interface FleetWatch {
  /** The last count, or null where another replica leads, or the database did not answer. */
  last(): Fleet | null;
  /** Resolves after the look that is under way. */
  looked(): Promise<void>;
  close(): Promise<void>;
}

export function watchFleet({ db, log }: Pick<App, "db" | "log">, every = EVERY): FleetWatch {
  let last: Fleet | null = null, failing = false;

  async function look(): Promise<void> {
    try {
      const [row] = await db.control.query(LEAD);
      last = row!.leads ? await countFleet(db) : null;
      failing = false;
    } catch (error) {
      last = null;
      if (!failing) log.warn("Cannot count the fleet for metrics; trying again", { reason: messageOf(error) });
      failing = true;
    }
  }

  let looking = look();
  const end = new AbortController();
  go().catch(() => {}); // closed

  async function go(): Promise<void> {
    for (;;) {
      await looking; // a slow one is followed by no crowd
      await sleep(every, end.signal);
      looking = look();
    }
  }

  return {
    last: () => last,
    looked: () => looking,
    async close() {
      end.abort();
      await looking;
    },
  };
}
