/**
 * Reads a hub's new events only once for all stream readers on this replica. After a wake-up, and every five seconds in
 * case a wake-up was lost, the feed reads new events into a ring buffer and wakes the readers. A reader that is too far
 * behind for the ring buffer reads the events from the database.
 */
import type { Database, RowQueries } from "#lib/drivers/db/database.ts";
import { retryWhileUnavailable } from "#lib/drivers/db/retry-while-unavailable.ts";
import { openStreamReaders, type StreamReaders, type StreamReadersOptions } from "#lib/events/readers.ts";
import { readStreamBounds, readStreamEvents, type StreamBounds, type StreamEvent } from "#lib/events/store.ts";
import { runWithoutContext } from "#lib/base/work-context.ts";
import { getErrorMessage } from "#lib/base/errors.ts";
import { createKeepAlives, type SendFrame, type StreamKeepAlive } from "#lib/events/keep-alive.ts";
import type { Log } from "#lib/base/log.ts";
import { SECOND } from "#lib/base/time.ts";

const RING_SIZE = 512, PAGE_SIZE = 500, POLL_INTERVAL = 5 * SECOND;
const KEEP_ALIVE_AFTER = 15 * SECOND; // nginx, for example, closes connections that are silent for 60 s
const WAKE_BATCH = 500; // how many readers are woken before other work may run

export interface HubFeeds extends StreamReaders {
  /** Follows a hub's events until `ended` aborts. Readers of the same hub share one feed. */
  join(federationId: string, ended: AbortSignal): HubEventFeed;
  /** Wraps a stream's `send` function, and sends keep-alives while the stream is silent. */
  openKeepAlive(send: SendFrame): StreamKeepAlive;
  /**
   * Reads rows for one reader, and retries until the database responds. These reads run one after another, so a feed's
   * own read waits for at most one of them.
   */
  read<T>(work: (rows: RowQueries) => Promise<T>, ended: AbortSignal): Promise<T>;
  closing(): boolean;
  /** The number of open streams, and how many events the slowest stream still has to receive. */
  stats(): { readonly streams: number; readonly behind: number };
  readonly log: Log;
}

/** Events in ascending order, and the `performance.now()` time at which they were read. */
export interface FeedPage {
  readonly events: readonly StreamEvent[];
  readonly readAt: number;
}

export interface HubEventFeed {
  /** Resolves when the feed knows the number of the hub's newest event. */
  readonly opened: Promise<void>;
  /** Returns the number of the newest event that the feed has read. */
  last(): number;
  /** Reads the bounds of the hub's events now. Readers that wait for the database at the same time share one read. */
  readBounds(): Promise<StreamBounds>;
  /** Returns the events after this number, or null if some of them are no longer in the ring buffer. */
  after(number: number): FeedPage | null;
  /** Waits until the feed has an event with a higher number, or until the reader's `ended` signal aborts. */
  wait(number: number): void | Promise<void>;
  leave(): void;
}

interface Waiter {
  wake(): void;
  /** The number of the last event that the reader has handled. */
  position: number;
}

interface HubFeed {
  readonly readers: Set<Waiter>;
  last: number;
  ring: StreamEvent[];
  /** The time (`performance.now()`) at which the newest events in the ring buffer were read. */
  readAt: number;
  readonly opened: Promise<void>;
  readonly readBounds: () => Promise<StreamBounds>;
  end: () => void;
}

interface FeedsOptions extends StreamReadersOptions {
  /** How long a stream may be silent before a keep-alive is sent, in milliseconds. */
  readonly keepAliveAfterMs?: number;
}

export function openHubFeeds(db: Database, log: Log, options: FeedsOptions): HubFeeds {
  const feeds = new Map<string, HubFeed>();
  const { enter, close } = openStreamReaders(db, log, options);
  let closing = false, lastRead: Promise<unknown> = Promise.resolve();

  const read: HubFeeds["read"] = (work, ended) =>
    retryWhileUnavailable(() => {
      const result = lastRead.then(() => (ended.throwIfAborted(), work(db.streams)));
      lastRead = result.catch(() => {});
      return result;
    }, ended);

  function open(federationId: string): HubFeed {
    const left = new AbortController();
    const refresh = coalesce(
      async () => {
        if (await readNewEvents(db, federationId, hub)) await wakeReaders(hub);
      },
      (error) => {
        if (left.signal.aborted) return;
        const reason = getErrorMessage(error);
        log.warn("Cannot read a hub's new events; the next poll will try again", { federationId, reason });
      },
    );
    let nextBounds: Promise<StreamBounds> | null = null; // until its statement is sent
    const readBounds = () =>
      nextBounds ??= read((rows) => {
        nextBounds = null;
        return readStreamBounds(rows, federationId);
      }, left.signal);
    const unsubscribe = db.wakeups.subscribe(`federation:${federationId}`, refresh);
    const poll = setInterval(refresh, POLL_INTERVAL);
    const hub: HubFeed = {
      readers: new Set(),
      last: 0,
      ring: [],
      readAt: 0,
      opened: readBounds().then(({ last }) => void (hub.last = last)),
      readBounds,
      end: () => {
        clearInterval(poll);
        unsubscribe();
        left.abort();
      },
    };
    hub.opened.catch(() => {}); // avoids an unhandled rejection when the last reader leaves first
    return hub;
  }

  return {
    enter,
    read,
    closing: () => closing,
    stats() {
      let streams = 0, behind = 0;
      for (const { readers, last } of feeds.values()) {
        streams += readers.size;
        for (const { position: at } of readers) behind = Math.max(behind, last - at);
      }
      return { streams, behind };
    },
    log,
    openKeepAlive: createKeepAlives(options.keepAliveAfterMs ?? KEEP_ALIVE_AFTER),
    join(federationId, ended) {
      const hub = feeds.get(federationId) ?? runWithoutContext(() => open(federationId));
      feeds.set(federationId, hub);
      const waiter: Waiter = { wake: () => {}, position: Infinity };
      hub.readers.add(waiter);
      hub.opened.then(() => waiter.position = Math.min(waiter.position, hub.last), () => {});
      ended.addEventListener("abort", () => waiter.wake());
      return {
        opened: hub.opened,
        last: () => hub.last,
        readBounds: hub.readBounds,
        after: (number) => findInRing(hub, number),
        wait(number) {
          waiter.position = number;
          if (number >= hub.last && !ended.aborted) return new Promise((resolve) => waiter.wake = resolve);
        },
        leave() {
          if (!hub.readers.delete(waiter) || hub.readers.size > 0) return;
          hub.end();
          feeds.delete(federationId);
        },
      };
    },
    close() {
      closing = true;
      close();
    },
  };
}

/** Reads new events into the ring buffer. Returns whether the hub had new events. */
async function readNewEvents(db: Database, federationId: string, hub: HubFeed): Promise<boolean> {
  await hub.opened;
  for (let hasNew = false;; hasNew = true) {
    const events = await readStreamEvents(db.streams, federationId, hub.last, PAGE_SIZE);
    hub.ring = [...hub.ring, ...events].slice(-RING_SIZE);
    hub.readAt = performance.now();
    hub.last = events.at(-1)?.number ?? hub.last;
    if (events.length < PAGE_SIZE) return hasNew || events.length > 0;
  }
}

function findInRing({ last, ring, readAt: at }: HubFeed, number: number): FeedPage | null {
  if (number >= last) return { events: [], readAt: at };
  const first = ring[0]?.number;
  if (first === undefined || number < first - 1) return null;
  // Searches for the event instead of computing its index, because a restored database has gaps between event numbers.
  return { events: ring.slice(ring.findLastIndex((event) => event.number <= number) + 1), readAt: at };
}

async function wakeReaders({ readers }: HubFeed): Promise<void> {
  let woken = 0;
  for (const reader of readers) {
    reader.wake();
    if (++woken % WAKE_BATCH === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Returns a function that runs `work`, but never twice at the same time. A call during a run causes one more run. */
function coalesce(work: () => Promise<void>, onError: (error: unknown) => void): () => void {
  let running = false, requestedAgain = false;
  return function request() {
    requestedAgain = running;
    if (running) return;
    running = true;
    work().catch(onError).finally(() => {
      running = false;
      if (requestedAgain) request();
    });
  };
}
