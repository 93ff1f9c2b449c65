/**
 * Readers: who follows hubs on this replica, and what each may see just now.
 *
 * What a credential may see of a hub is decided once for all streams that it follows the hub with. Many rights are looked
 * at in one query: those of a user as soon as a wake-up names it, any that a reader needs a newer decision of, and all of
 * them each second, because a wake-up may be lost and credentials expire. While the database cannot say what a
 * reader may see, the reader waits.
 */
import type { Database, Rows } from "#lib/db/database.ts";
import { Fault, messageOf } from "#lib/errors.ts";
import type { Log } from "#lib/log.ts";
import { backoff, SECOND, sleep } from "#lib/time.ts";

/** What a reader may see of a hub: everything, or the events of these spokes alone. */
export type Sight = "all" | ReadonlySet<string>;

export interface Follower {
  readonly credentialId: string;
  readonly userId: string;
  readonly federationId: string;
}

/** What each of these may see, in their order; null for one that may follow its hub no longer. */
export type Look = (rows: Rows, followers: readonly Follower[]) => Promise<readonly (Sight | null)[]>;

export interface Reader {
  readonly federationId: string;
  /** Aborts when the stream must end: its right was taken back, its client has left, or the replica closes. */
  readonly over: AbortSignal;
  /**
   * What may be seen, if that was decided by a look that began at most 1.5 s ago, after the reader entered, after its user's
   * last wake-up, and not before `since` (of performance.now()); else null.
   */
  sight(since: number): Sight | null;
  /** Settles after one more look, or the failure of one. */
  looked(): Promise<void>;
  leave(): void;
}

export interface Readers {
  /** Gives the follower a place until it leaves, or the signal aborts. Throws Fault limited `too_many_streams`. */
  enter(follower: Follower, signal: AbortSignal): Reader;
  /** Ends all streams. */
  close(): void;
}

export interface ReadersOptions {
  readonly look: Look;
  /** Streams that may be open on this replica. */
  readonly most: number;
}

interface Right extends Follower {
  readonly readers: Set<AbortController>;
  sight: Sight | null;
  /** When the look that decided it began. */
  decidedAt: number;
  /** Whether its user's wake-up came after the look under way began. */
  changed: boolean;
  /** The next look. */
  looked: PromiseWithResolvers<void>;
}

interface Person {
  streams: number;
  readonly rights: Set<Right>;
  readonly end: () => void;
}

const PER_USER = 20;
const LOOK_EVERY = SECOND;
const FRESH = 1.5 * SECOND; // the time between two looks, and what a slow one may take until readers wait for it
const BATCH = 1000; // rights in one query, so that no decision is old before the query ends

export function openReaders(db: Database, log: Log, { look, most }: ReadersOptions): Readers {
  const rights = new Map<string, Right>(), people = new Map<string, Person>();
  const asked = new Set<Right>(), closing = new AbortController();
  let streams = 0, looking = false, polling: ReturnType<typeof setInterval> | undefined;

  function ask(right: Right): Promise<void> {
    asked.add(right);
    if (!looking) void lookOn();
    return right.looked.promise;
  }

  async function lookOn(): Promise<void> {
    looking = true;
    await null; // all who ask in the same moment are in the same look
    for (let failed = 0; asked.size > 0 && !closing.signal.aborted;) {
      try {
        await lookAt([...asked].slice(0, BATCH));
        failed = 0;
      } catch (error) {
        const level = failed === 0 ? "warn" : "debug"; // said once; the rest would say the same until it is over
        log[level]("Cannot look at what readers may see; they wait", { reason: messageOf(error) });
        await sleep(backoff(++failed, 100, 2 * SECOND), closing.signal).catch(() => {});
      }
    }
    looking = false;
  }

  async function lookAt(batch: readonly Right[]): Promise<void> {
    const told = batch.map((right) => {
      const { looked } = right;
      asked.delete(right);
      Object.assign(right, { changed: false, looked: Promise.withResolvers() });
      return looked;
    });
    try {
      const { at, sights } = await db.streams.connection().execute(async (rows) => {
        return { at: performance.now(), sights: await look(rows, batch) };
      });
      batch.forEach((right, i) => settle(right, sights[i] ?? null, at));
    } catch (error) {
      for (const right of batch) if (right.readers.size > 0) asked.add(right);
      throw error;
    } finally {
      for (const { resolve } of told) resolve();
    }
  }

  function settle(right: Right, sight: Sight | null, at: number): void {
    if (sight === null) {
      forget(right); // should it be given anew, that is another right
      for (const reader of right.readers) reader.abort();
    } else if (!right.changed) Object.assign(right, { sight, decidedAt: at });
  }

  function forget(right: Right): void {
    asked.delete(right);
    people.get(right.userId)?.rights.delete(right);
    if (rights.get(keyOf(right)) === right) rights.delete(keyOf(right));
  }

  function wake(userId: string): void {
    for (const right of people.get(userId)?.rights ?? []) {
      Object.assign(right, { changed: true, decidedAt: -Infinity });
      void ask(right);
    }
  }

  function takePlace(userId: string): Person {
    const person = people.get(userId) ??
      { streams: 0, rights: new Set(), end: db.wakeups.subscribe(`user:${userId}`, () => wake(userId)) };
    people.set(userId, person);
    person.streams++;
    if (streams++ === 0) polling = setInterval(() => rights.forEach(ask), LOOK_EVERY);
    return person;
  }

  function freePlace(userId: string, person: Person): void {
    if (--streams === 0) clearInterval(polling);
    if (--person.streams > 0) return;
    person.end();
    people.delete(userId);
  }

  return {
    enter(follower, signal) {
      const { userId, federationId } = follower;
      if ((people.get(userId)?.streams ?? 0) >= PER_USER) {
        throw tooMany(`You have ${PER_USER} event streams open; close one of them first`);
      }
      if (streams >= most) throw tooMany("As many event streams are open as there may be; try again later");
      const person = takePlace(userId), entered = performance.now(), over = new AbortController();
      const right = rights.get(keyOf(follower)) ?? newRight(follower);
      rights.set(keyOf(follower), right);
      person.rights.add(right);
      right.readers.add(over);
      const leave = () => {
        if (!right.readers.delete(over)) return;
        signal.removeEventListener("abort", leave);
        over.abort();
        if (right.readers.size === 0) forget(right);
        freePlace(userId, person);
      };
      signal.addEventListener("abort", leave);
      if (signal.aborted) leave();
      if (closing.signal.aborted) over.abort();
      return {
        federationId,
        over: over.signal,
        sight(since) {
          const earliest = Math.max(since, entered, performance.now() - FRESH);
          return over.signal.aborted || right.decidedAt < earliest ? null : right.sight;
        },
        looked: () => ask(right),
        leave,
      };
    },
    close() {
      closing.abort();
      clearInterval(polling);
      for (const right of rights.values()) for (const reader of right.readers) reader.abort();
    },
  };
}

function newRight({ credentialId, userId, federationId }: Follower): Right {
  const undecided = { sight: null, decidedAt: -Infinity, changed: false, looked: Promise.withResolvers<void>() };
  return { credentialId, userId, federationId, readers: new Set(), ...undecided };
}

function keyOf({ credentialId, federationId }: Follower): string {
  return `${credentialId} ${federationId}`;
}

/** Streams last for long; whoever comes back at once finds the same. */
function tooMany(message: string): Fault {
  return new Fault("limited", "too_many_streams", message, { retryAfter: 5 + Math.random() * 10 });
}
