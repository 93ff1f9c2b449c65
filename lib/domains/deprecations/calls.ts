/**
 * Counts how often each API token calls each endpoint, for notices about deprecated endpoints. The counts are kept in
 * memory and written to the database every few seconds. Counts are approximate: a killed process loses unwritten
 * counts, and a lost connection can make a batch count twice.
 */
import type { Database } from "#lib/drivers/db/database.ts";
import { addCallCounts } from "#lib/domains/deprecations/store.ts";
import { runWithoutContext } from "#lib/base/work-context.ts";
import type { Log } from "#lib/base/log.ts";
import { SECOND } from "#lib/base/time.ts";

export interface CallCounter {
  /** Counts one call to an endpoint, for example `GET /api/spokes/:spokeId`. Does not wait and never throws. */
  count(tokenId: string, endpoint: string): void;
  /** Writes the counts to the database. After a failure, keeps the counts for the next attempt. */
  flush(): Promise<void>;
  /** Stops the counter and writes the remaining counts. */
  close(): Promise<void>;
}

export interface CallCounterOptions {
  readonly db: Pick<Database, "within">;
  readonly log: Log;
  /** The interval between writes to the database, in milliseconds. */
  readonly flushIntervalMs?: number;
  /** The maximum number of pairs (token and endpoint) in memory. Reaching this number triggers a write. */
  readonly flushSize?: number;
  readonly maxPairs?: number;
}

const FLUSH_INTERVAL = 10 * SECOND, FLUSH_SIZE = 2000, MAX_PAIRS = 20_000;
const FLUSH_TIMEOUT = 5 * SECOND; // the time limit of a flush; after it, the counts are kept for the next flush

export const DISABLED_CALL_COUNTER: Pick<CallCounter, "count"> = { count() {} };

export function openCallCounter(options: CallCounterOptions): CallCounter {
  const {
    db,
    log,
    flushIntervalMs: every = FLUSH_INTERVAL,
    flushSize: large = FLUSH_SIZE,
    maxPairs: most = MAX_PAIRS,
  } = options;
  let counts = new Map<string, number>();
  let lost = 0;
  let failing = false, closed = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let flushing: Promise<void> | null = null;

  function add(key: string, calls: number): void {
    const before = counts.get(key);
    if (before === undefined && counts.size >= most) lost += calls;
    else counts.set(key, (before ?? 0) + calls);
  }

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    return flushing ??= runWithoutContext(writeCounts).finally(() => flushing = null);
  }

  async function writeCounts(): Promise<void> {
    if (counts.size === 0) return;
    const batch = counts;
    counts = new Map();
    try {
      await addCallCounts(db.within(AbortSignal.timeout(FLUSH_TIMEOUT)).rows, [...batch].map(toCount));
      if (failing) log.info("Resumed storing the numbers of API calls per token", { lost });
      failing = false;
      lost = 0;
    } catch (error) {
      const newer = counts;
      counts = batch; // older counts take precedence: new ones may be a flood
      for (const [key, calls] of newer) add(key, calls);
      if (!failing) log.warn("Could not store the numbers of API calls per token; retrying", { error });
      failing = true;
      if (!closed) timer ??= setTimeout(flush, every);
    }
  }

  return {
    count(tokenId, endpoint) {
      if (closed) return;
      add(`${tokenId} ${endpoint}`, 1);
      if (counts.size >= large && !failing) void flush();
      else timer ??= setTimeout(flush, every);
    },
    flush,
    async close() {
      closed = true;
      await flushing; // this flush may have started before the last calls
      await flush();
      if (counts.size > 0) log.warn("Could not store API calls per token at shutdown", { pairs: counts.size });
    },
  };
}

function toCount([key, calls]: readonly [string, number]): { tokenId: string; endpoint: string; calls: number } {
  const [tokenId = ""] = key.split(" ", 1);
  return { tokenId, endpoint: key.slice(tokenId.length + 1), calls };
}
