/**
 * Feeds: what the readers of one hub's events share on a replica.
 *
 * However many follow a hub, its new rows are read once: a wake-up (or the slow poll behind it) makes the feed read
 * what came after its last number into a short ring, and then rouses the readers. A reader that fell behind the ring
 * reads the table itself.
 */
import type { Database } from "#lib/db/database.ts";
import { readBounds, readEvents, type StreamEvent } from "#lib/events/store.ts";
import { messageOf } from "#lib/errors.ts";
import type { Log } from "#lib/log.ts";
import { SECOND } from "#lib/time.ts";

const RING = 512, PAGE = 500, POLL = 5 * SECOND;

export interface Feeds {
  /** Starts following a hub; the feed lives until its last reader has left. */
  join(federationId: string): Promise<Feed>;
  /** Ends all streams: each reader is told to come back. */
  close(): void;
}

export interface Feed {
  /** The number of the newest event that the feed knows. */
  last(): number;
  /** The events after this number, in order, as far as the ring reaches back; null when it does not. */
  after(number: number): readonly StreamEvent[] | null;
  /** Waits for something to look at: a newer event, a withdrawn credential, the close of the feeds, or `ms` gone by. */
  wait(number: number, ms: number, signal: AbortSignal): Promise<void>;
  closing(): boolean;
  leave(): void;
}

interface Hub {
  readers: number;
  last: number;
  ring: StreamEvent[];
  readonly waiting: Set<() => void>;
  readonly opened: Promise<void>;
  end: () => void;
}

export function openFeeds(db: Database, log: Log): Feeds {
  const hubs = new Map<string, Hub>();
  const closing = new AbortController();

  function open(federationId: string): Hub {
    const poke = () => rouse(hub);
    const refresh = coalesced(
      async () => {
        if (await advance(db, federationId, hub)) rouse(hub);
      },
      (error) =>
        log.warn("Cannot read a hub's new events; the next poll tries again", {
          federationId,
          reason: messageOf(error),
        }),
    );
    const ends = [
      db.wakeups.subscribe(`federation:${federationId}`, refresh),
      db.wakeups.subscribe("credentials", poke),
    ];
    const poll = setInterval(refresh, POLL);
    const hub: Hub = {
      readers: 0,
      last: 0,
      ring: [],
      waiting: new Set(),
      opened: readBounds(db.rows, federationId).then(({ last }) => {
        hub.last = last;
      }),
      end: () => {
        clearInterval(poll);
        for (const end of ends) end();
      },
    };
    return hub;
  }

  return {
    async join(federationId) {
      const hub = hubs.get(federationId) ?? open(federationId);
      hubs.set(federationId, hub);
      hub.readers++;
      let left = false;
      const leave = () => {
        if (left) return;
        left = true;
        if (--hub.readers > 0) return;
        hub.end();
        hubs.delete(federationId);
      };
      try {
        await hub.opened;
      } catch (error) {
        leave();
        throw error;
      }
      return {
        last: () => hub.last,
        after: (number) => reach(hub, number),
        wait: (number, ms, signal) =>
          number < hub.last || closing.signal.aborted ? Promise.resolve() : pause(hub, ms, signal),
        closing: () => closing.signal.aborted,
        leave,
      };
    },
    close() {
      closing.abort();
      for (const hub of hubs.values()) rouse(hub);
    },
  };
}

/** Reads what is new into the ring. */
async function advance(db: Database, federationId: string, hub: Hub): Promise<boolean> {
  await hub.opened;
  for (let grown = false;; grown = true) {
    const events = await readEvents(db.rows, federationId, hub.last, PAGE);
    hub.ring = [...hub.ring, ...events].slice(-RING);
    hub.last = events.at(-1)?.number ?? hub.last;
    if (events.length < PAGE) return grown || events.length > 0;
  }
}

function reach(hub: Hub, number: number): readonly StreamEvent[] | null {
  if (number >= hub.last) return [];
  const first = hub.ring[0]?.number;
  if (first === undefined || number < first - 1) return null;
  return hub.ring.slice(number - first + 1);
}

function rouse(hub: Hub): void {
  for (const wake of hub.waiting) wake();
}

function pause(hub: Hub, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer);
      hub.waiting.delete(wake);
      signal.removeEventListener("abort", wake);
      resolve();
    };
    const timer = setTimeout(wake, ms);
    hub.waiting.add(wake);
    signal.addEventListener("abort", wake);
    if (signal.aborted) wake();
  });
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
