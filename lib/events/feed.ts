/**
 * Feeds: what the readers of one hub's events share on a replica.
 *
 * However many follow a hub, its new rows are read once: a wake-up (or the slow poll behind it) makes the feed read
 * what came after its last number into a short ring, and then rouses the readers. A reader that fell behind the ring
 * reads the table itself.
 */
import type { Database, Rows } from "#lib/drivers/db/database.ts";
import { retryWhileUnavailable } from "#lib/drivers/db/retry-while-unavailable.ts";
import { openReaders, type Readers, type ReadersOptions } from "#lib/events/readers.ts";
import { readEvents, readStreamBounds, type StreamEvent } from "#lib/events/store.ts";
import { runDetached } from "#lib/base/work-context.ts";
import { messageOf } from "#lib/base/errors.ts";
import { createKeepAlives, type KeepAlive, type Send } from "#lib/events/keep-alive.ts";
import type { Log } from "#lib/base/log.ts";
import { SECOND } from "#lib/base/time.ts";

const RING_SIZE = 512, PAGE_SIZE = 500, POLL_INTERVAL = 5 * SECOND;
const KEEP_ALIVE_AFTER = 15 * SECOND; // proxies close connections that are silent for longer, nginx after 60 s
const WAKE_BATCH = 500; // readers at once: what else this process does comes between

export interface Feeds extends Readers {
  /** Starts following a hub, until the reader is over; the feed lives until its last reader has left. */
  join(federationId: string, ended: AbortSignal): Feed;
  /** Gives a stream a voice that breaks a long silence by itself. */
  openKeepAlive(send: Send): KeepAlive;
  /**
   * What one reader reads for itself, tried until the database answers. Such reads take turns, so that what all wait
   * for, news and rights, never waits behind more than one of them.
   */
  read<T>(work: (rows: Rows) => Promise<T>, ended: AbortSignal): Promise<T>;
  closing(): boolean;
  /** The streams that are open, and by how many events the slowest of them is behind. */
  stats(): { readonly streams: number; readonly behind: number };
  readonly log: Log;
}

/** Events in order, and when they were read (by performance.now()). */
export interface FeedPage {
  readonly events: readonly StreamEvent[];
  readonly readAt: number;
}

export interface Feed {
  /** Settles when `last` is known. */
  readonly opened: Promise<void>;
  /** The number of the newest event that the feed knows. */
  last(): number;
  /** The events after this number, as far as the ring reaches back; null when it does not. */
  after(number: number): FeedPage | null;
  /** Waits for an event newer than this number, or for the reader's end. */
  wait(number: number): void | Promise<void>;
  leave(): void;
}

interface Waiter {
  wake(): void;
  /** The number after which it asked for events last. */
  position: number;
}

interface HubFeed {
  readonly readers: Set<Waiter>;
  last: number;
  ring: StreamEvent[];
  /** When the newest of the ring were read. */
  readAt: number;
  readonly opened: Promise<void>;
  end: () => void;
}

interface FeedsOptions extends ReadersOptions {
  /** Milliseconds of silence that a stream breaks. */
  readonly keepAliveAfterMs?: number;
}

export function openFeeds(db: Database, log: Log, options: FeedsOptions): Feeds {
  const feeds = new Map<string, HubFeed>();
  const { enter, close } = openReaders(db, log, options);
  let closing = false, lastRead: Promise<unknown> = Promise.resolve();

  const read: Feeds["read"] = (work, ended) =>
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
        const reason = messageOf(error);
        log.warn("Cannot read a hub's new events; the next poll tries again", { federationId, reason });
      },
    );
    const unsubscribe = db.wakeups.subscribe(`federation:${federationId}`, refresh);
    const poll = setInterval(refresh, POLL_INTERVAL);
    const hub: HubFeed = {
      readers: new Set(),
      last: 0,
      ring: [],
      readAt: 0,
      opened: read((rows) => readStreamBounds(rows, federationId), left.signal).then(({ last }) =>
        void (hub.last = last)
      ),
      end: () => {
        clearInterval(poll);
        unsubscribe();
        left.abort();
      },
    };
    hub.opened.catch(() => {}); // its last reader may leave before
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
      const hub = feeds.get(federationId) ?? runDetached(() => open(federationId));
      feeds.set(federationId, hub);
      const waiter: Waiter = { wake: () => {}, position: Infinity };
      hub.readers.add(waiter);
      hub.opened.then(() => waiter.position = Math.min(waiter.position, hub.last), () => {});
      ended.addEventListener("abort", () => waiter.wake());
      return {
        opened: hub.opened,
        last: () => hub.last,
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

/** Reads what is new into the ring. */
async function readNewEvents(db: Database, federationId: string, hub: HubFeed): Promise<boolean> {
  await hub.opened;
  for (let hasNew = false;; hasNew = true) {
    const events = await readEvents(db.streams, federationId, hub.last, PAGE_SIZE);
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
  // Looked for from the newest on, and not reckoned: in a database that was restored the numbers leap.
  return { events: ring.slice(ring.findLastIndex((event) => event.number <= number) + 1), readAt: at };
}

async function wakeReaders({ readers }: HubFeed): Promise<void> {
  let woken = 0;
  for (const reader of readers) {
    reader.wake();
    if (++woken % WAKE_BATCH === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Runs the work once at a time; being asked while it runs makes it run once more afterwards, however often. */
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
