/**
 * Readers: who follows hubs on this replica, so many and no more, and what each may see just now.
 *
 * What a credential may see of a hub is decided once for all streams that it follows the hub with: as soon as a wake-up
 * names its user, when a reader needs a newer decision than there is, and every three seconds, because a wake-up may be lost. No decision
 * outlives its credential.
 */
import type { Database } from "#lib/drivers/db/database.ts";
import {
  type Follower,
  newRight,
  openLooks,
  type ReadSights,
  type Right,
  type StreamSight,
} from "#lib/events/looks.ts";
import { Fault } from "#lib/base/errors.ts";
import type { Log } from "#lib/base/log.ts";
import { SECOND } from "#lib/base/time.ts";

export interface StreamReader {
  readonly federationId: string;
  readonly userId: string;
  /** Aborts when the stream must end: its right was taken back, its client has left, or the replica closes. */
  readonly over: AbortSignal;
  /**
   * What may be seen, if that was decided by a look that began at most 4.5 s ago, after the reader entered, after its user's
   * last wake-up, and not before `since` (of performance.now()); else null.
   */
  sight(since: number): StreamSight | null;
  /** Settles after one more look, or the failure of one. */
  looked(): Promise<void>;
  leave(): void;
}

export interface Readers {
  /** Gives the follower a place until it leaves. Throws Fault limited `too_many_streams`. */
  enter(follower: Follower): StreamReader;
  /** Ends all streams. */
  close(): void;
}

export interface ReadersOptions {
  readonly look: ReadSights;
  /** Streams that may be open on this replica. */
  readonly most: number;
}

interface Person {
  streams: number;
  readonly rights: Set<Right>;
  readonly end: () => void;
}

const PER_USER = 20;
const LOOK_EVERY = 3 * SECOND;
const FRESH = 1.5 * LOOK_EVERY; // the time between two looks, and what a slow one may take until readers wait for it

export function openReaders(db: Database, log: Log, { look, most }: ReadersOptions): Readers {
  const rights = new Map<string, Right>(), people = new Map<string, Person>();
  const closing = new AbortController(), { ask, drop } = openLooks(db, log, look, { lost, closing: closing.signal });
  let streams = 0, polling: ReturnType<typeof setInterval> | undefined;

  function lost(right: Right): void {
    forget(right); // should it be given anew, that is another right
    for (const leave of right.readers) leave();
  }

  function forget(right: Right): void {
    drop(right);
    people.get(right.userId)?.rights.delete(right);
    if (rights.get(keyOf(right)) === right) rights.delete(keyOf(right));
  }

  function wake(userId: string): void {
    for (const right of people.get(userId)?.rights ?? []) {
      Object.assign(right, { changed: true, decidedAt: -Infinity });
      void ask(right);
    }
  }

  function askDue(): void {
    const due = performance.now() - LOOK_EVERY + SECOND / 2; // or it would be the next time
    for (const right of rights.values()) if (right.decidedAt <= due) void ask(right);
  }

  function takePlace(userId: string): Person {
    const person = people.get(userId) ??
      { streams: 0, rights: new Set(), end: db.wakeups.subscribe(`user:${userId}`, () => wake(userId)) };
    people.set(userId, person);
    person.streams++;
    if (streams++ === 0) polling = setInterval(askDue, SECOND);
    return person;
  }

  function freePlace(userId: string, person: Person): void {
    if (--streams === 0) clearInterval(polling);
    if (--person.streams > 0) return;
    person.end();
    people.delete(userId);
  }

  return {
    enter(follower) {
      const { userId, federationId } = follower;
      if ((people.get(userId)?.streams ?? 0) >= PER_USER) {
        throw tooMany(`You have ${PER_USER} event streams open; close one of them first`);
      }
      if (streams >= most) throw tooMany("As many event streams are open as there may be; try again later");
      const person = takePlace(userId), entered = performance.now(), over = new AbortController();
      const right = rights.get(keyOf(follower)) ?? newRight(follower);
      rights.set(keyOf(follower), right);
      person.rights.add(right);
      const leave = () => {
        if (!right.readers.delete(leave)) return;
        over.abort();
        if (right.readers.size === 0) forget(right);
        freePlace(userId, person);
      };
      right.readers.add(leave);
      if (closing.signal.aborted) leave();
      return {
        federationId,
        userId,
        over: over.signal,
        sight(since) {
          const { decidedAt, endsAt, sight } = right, now = performance.now();
          const holds = decidedAt >= since && decidedAt >= entered && decidedAt >= now - FRESH && now < endsAt;
          return holds && !over.signal.aborted ? sight : null;
        },
        looked: () => ask(right),
        leave,
      };
    },
    close() {
      closing.abort();
      clearInterval(polling);
      for (const right of rights.values()) for (const leave of right.readers) leave();
    },
  };
}

function keyOf({ credentialId, federationId }: Follower): string {
  return `${credentialId} ${federationId}`;
}

/** Streams last for long; a reader that comes back at once finds the same. */
function tooMany(message: string): Fault {
  return new Fault("limited", "too_many_streams", message, { retryAfter: 5 + Math.random() * 10 });
}
