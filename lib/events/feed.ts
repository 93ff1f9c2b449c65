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
import { readBounds, readEvents, type StreamEvent } from "#lib/events/store.ts";
import { runDetached } from "#lib/base/work-context.ts";
import { messageOf } from "#lib/base/errors.ts";
import { openVoices, type Send, type Voice } from "#lib/events/voices.ts";
import type { Log } from "#lib/base/log.ts";
import { SECOND } from "#lib/base/time.ts";

const RING = 512, PAGE = 500, POLL = 5 * SECOND;
const QUIET = 15 * SECOND; // proxies close connections that are silent for longer, nginx after 60 s
const ROUSED = 500; // readers at once: what else this process does comes between

export interface Feeds extends Readers {
  /** Starts following a hub, until the reader is over; the feed lives until its last reader has left. */
  join(federationId: string, over: AbortSignal): Feed;
  /** Gives a stream a voice that breaks a long silence by itself. */
  speak(send: Send): Voice;
  /**
   * What one reader reads for itself, tried until the database answers. Such reads take turns, so that what all wait
   * for, news and rights, never waits behind more than one of them.
   */
  read<T>(work: (rows: Rows) => Promise<T>, over: AbortSignal): Promise<T>;
  closing(): boolean;
  /** The streams that are open, and by how many events the slowest of them is behind. */
  stats(): { readonly streams: number; readonly behind: number };
  readonly log: Log;
}

/** Events in order, and when they were read (by performance.now()). */
export interface FeedPage {
  readonly events: readonly StreamEvent[];
  readonly at: number;
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
  at: number;
}

interface Hub {
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
  readonly quiet?: number;
}

export function openFeeds(db: Database, log: Log, options: FeedsOptions): Feeds {
  const hubs = new Map<string, Hub>();
  const { enter, close } = openReaders(db, log, options);
  let closing = false, turn: Promise<unknown> = Promise.resolve();

  const read: Feeds["read"] = (work, over) =>
    retryWhileUnavailable(() => {
      const mine = turn.then(() => (over.throwIfAborted(), work(db.streams)));
      turn = mine.catch(() => {});
      return mine;
    }, over);

  function open(federationId: string): Hub {
    const left = new AbortController();
    const refresh = coalesced(
      async () => {
        if (await advance(db, federationId, hub)) await rouse(hub);
      },
      (error) => {
        if (left.signal.aborted) return;
        const reason = messageOf(error);
        log.warn("Cannot read a hub's new events; the next poll tries again", { federationId, reason });
      },
    );
    const unsubscribe = db.wakeups.subscribe(`federation:${federationId}`, refresh);
    const poll = setInterval(refresh, POLL);
    const hub: Hub = {
      readers: new Set(),
      last: 0,
      ring: [],
      readAt: 0,
      opened: read((rows) => readBounds(rows, federationId), left.signal).then(({ last }) => void (hub.last = last)),
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
      for (const { readers, last } of hubs.values()) {
        streams += readers.size;
        for (const { at } of readers) behind = Math.max(behind, last - at);
      }
      return { streams, behind };
    },
    log,
    speak: openVoices(options.quiet ?? QUIET),
    join(federationId, over) {
      const hub = hubs.get(federationId) ?? runDetached(() => open(federationId));
      hubs.set(federationId, hub);
      const waiter: Waiter = { wake: () => {}, at: Infinity };
      hub.readers.add(waiter);
      hub.opened.then(() => waiter.at = Math.min(waiter.at, hub.last), () => {});
      over.addEventListener("abort", () => waiter.wake());
      return {
        opened: hub.opened,
        last: () => hub.last,
        after: (number) => reach(hub, number),
        wait(number) {
          waiter.at = number;
          if (number >= hub.last && !over.aborted) return new Promise((resolve) => waiter.wake = resolve);
        },
        leave() {
          if (!hub.readers.delete(waiter) || hub.readers.size > 0) return;
          hub.end();
          hubs.delete(federationId);
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
async function advance(db: Database, federationId: string, hub: Hub): Promise<boolean> {
  await hub.opened;
  for (let grown = false;; grown = true) {
    const events = await readEvents(db.streams, federationId, hub.last, PAGE);
    hub.ring = [...hub.ring, ...events].slice(-RING);
    hub.readAt = performance.now();
    hub.last = events.at(-1)?.number ?? hub.last;
    if (events.length < PAGE) return grown || events.length > 0;
  }
}

function reach({ last, ring, readAt: at }: Hub, number: number): FeedPage | null {
  if (number >= last) return { events: [], at };
  const first = ring[0]?.number;
  if (first === undefined || number < first - 1) return null;
  // Looked for from the newest on, and not reckoned: in a database that was restored the numbers leap.
  return { events: ring.slice(ring.findLastIndex((event) => event.number <= number) + 1), at };
}

async function rouse({ readers }: Hub): Promise<void> {
  let roused = 0;
  for (const reader of readers) {
    reader.wake();
    if (++roused % ROUSED === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Runs the work once at a time; being asked while it runs makes it run once more afterwards, however often. */
function coalesced(work: () => Promise<void>, onError: (error: unknown) => void): () => void {
  let running = false, again = false;
  return function ask() {
    again = running;
    if (running) return;
    running = true;
    work().catch(onError).finally(() => {
      running = false;
      if (again) ask();
    });
  };
}
