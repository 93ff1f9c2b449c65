/**
 * Counts the calls of each token to each endpoint, so that the user of an endpoint that ends is told how often he calls
 * it. All endpoints count, for a deprecation tells of the days before it was declared.
 *
 * A request pays for one addition in memory. What has been added goes to the database every few seconds in one
 * statement; while the database is away it is kept, up to a bound. A process that is killed loses what it had not
 * written yet, and a connection that is lost right after the statement ran has it counted twice: these numbers are for
 * people to judge by, and nothing is charged or refused by them.
 */
import type { Database } from "#lib/drivers/db/database.ts";
import { addCalls } from "#lib/domains/deprecations/store.ts";
import { runDetached } from "#lib/base/work-context.ts";
import type { Log } from "#lib/base/log.ts";
import { SECOND } from "#lib/base/time.ts";

export interface CallCounter {
  /** One call to an endpoint (`GET /api/spokes/:spokeId`). It neither waits nor throws. */
  count(tokenId: string, endpoint: string): void;
  /** Writes what was counted until now; what cannot be written is kept. */
  flush(): Promise<void>;
  /** Writes it for the last time. */
  close(): Promise<void>;
}

export interface CounterOptions {
  readonly db: Pick<Database, "within">;
  readonly log: Log;
  /** Milliseconds until what was counted is written. */
  readonly flushIntervalMs?: number;
  /** Pairs of a token and an endpoint that are written before that, and that are kept at most. */
  readonly flushSize?: number;
  readonly maxPairs?: number;
}

const FLUSH_INTERVAL = 10 * SECOND, FLUSH_SIZE = 2000, MAX_PAIRS = 20_000;
const FLUSH_TIMEOUT = 5 * SECOND; // of a flush: what cannot be written soon is kept for the next

/** Counts nothing: for a server whose calls nobody asks for. */
export const NO_COUNTER: Pick<CallCounter, "count"> = { count() {} };

export function openCallCounter(options: CounterOptions): CallCounter {
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
    return flushing ??= runDetached(writeCounts).finally(() => flushing = null);
  }

  async function writeCounts(): Promise<void> {
    if (counts.size === 0) return;
    const batch = counts;
    counts = new Map();
    try {
      await addCalls(db.within(AbortSignal.timeout(FLUSH_TIMEOUT)).rows, [...batch].map(toCount));
      if (failing) log.info("Token calls are stored again", { lost });
      failing = false;
      lost = 0;
    } catch (error) {
      const newer = counts;
      counts = batch; // the older ones have their place: what is new may be somebody's flood
      for (const [key, calls] of newer) add(key, calls);
      if (!failing) log.warn("Cannot store token calls; they are kept for the next attempt", { error });
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
      await flushing; // without the last calls
      await flush();
      if (counts.size > 0) log.warn("Could not store the last token calls", { pairs: counts.size });
    },
  };
}

function toCount([key, calls]: readonly [string, number]): { tokenId: string; endpoint: string; calls: number } {
  const [tokenId = ""] = key.split(" ", 1);
  return { tokenId, endpoint: key.slice(tokenId.length + 1), calls };
}
