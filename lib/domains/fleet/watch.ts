/**
 * Counts spokes, templates and jobs periodically, on a single replica. The counting replica holds an advisory lock on
 * its control connection. If the replica or the connection dies, another replica gets the lock at its next attempt.
 */
import type { App } from "#lib/app.ts";
import { getErrorMessage } from "#lib/base/errors.ts";
import { SECOND, sleep } from "#lib/base/time.ts";
import { countFleet, type FleetCounts } from "#lib/domains/fleet/count.ts";

const COUNT_INTERVAL = 30 * SECOND;
const TRY_LEAD = "select pg_try_advisory_lock(hashtextextended('wheelwright: fleet', 0)) as leads";

export interface FleetCounter {
  /** Returns the latest counts. Null if another replica does the counting or the database did not respond. */
  last(): FleetCounts | null;
  /** Returns a promise that resolves when the current count is finished. */
  whenCounted(): Promise<void>;
  close(): Promise<void>;
}

export function startFleetCounter({ db, log }: Pick<App, "db" | "log">, intervalMs = COUNT_INTERVAL): FleetCounter {
  let last: FleetCounts | null = null, failing = false;

  async function count(): Promise<void> {
    try {
      const [row] = await db.control.query(TRY_LEAD);
      last = row!.leads ? await countFleet(db) : null;
      failing = false;
    } catch (error) {
      last = null;
      const reason = getErrorMessage(error);
      if (!failing) log.warn("Could not count spokes, templates and jobs for metrics; retrying", { reason });
      failing = true;
    }
  }

  let counting = count();
  const end = new AbortController();
  run().catch(() => {}); // the watch was closed

  async function run(): Promise<void> {
    for (;;) {
      await counting; // waits for a slow count before the next one
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
