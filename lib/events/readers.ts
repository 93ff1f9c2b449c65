/**
 * Readers: who follows hubs on this replica, so many and no more, and what each may see just now.
 *
 * What a credential may see of a hub is decided once for all streams that it follows the hub with: as soon as a wake-up
 * names its user, when a reader needs a newer decision than there is, and every three seconds, because a wake-up may be lost. No decision
 * outlives its credential.
 */
import type { Database } from "#lib/drivers/db/database.ts";
import {
  createHubAccess,
  type Follower,
  type HubAccess,
  openAccessChecks,
  type ReadVisibility,
  type StreamVisibility,
} from "#lib/events/visibility.ts";
import { Fault } from "#lib/base/errors.ts";
import type { Log } from "#lib/base/log.ts";
import { SECOND } from "#lib/base/time.ts";

export interface StreamReader {
  readonly federationId: string;
  readonly userId: string;
  /** Aborts when the stream must end: its right was taken back, its client has left, or the replica closes. */
  readonly ended: AbortSignal;
  /**
   * What may be seen, if that was decided by a look that began at most 4.5 s ago, after the reader entered, after its user's
   * last wake-up, and not before `since` (of performance.now()); else null.
   */
  visibility(since: number): StreamVisibility | null;
  /** Settles after one more look, or the failure of one. */
  recheck(): Promise<void>;
  leave(): void;
}

export interface Readers {
  /** Gives the follower a place until it leaves. Throws Fault limited `too_many_streams`. */
  enter(follower: Follower): StreamReader;
  /** Ends all streams. */
  close(): void;
}

export interface ReadersOptions {
  readonly readVisibility: ReadVisibility;
  /** Streams that may be open on this replica. */
  readonly maxStreams: number;
}

interface UserStreams {
  streams: number;
  readonly accesses: Set<HubAccess>;
  readonly unsubscribe: () => void;
}

const MAX_PER_USER = 20;
const CHECK_INTERVAL = 3 * SECOND;
const MAX_AGE = 1.5 * CHECK_INTERVAL; // the time between two looks, and what a slow one may take until readers wait for it

export function openReaders(db: Database, log: Log, { readVisibility, maxStreams }: ReadersOptions): Readers {
  const accesses = new Map<string, HubAccess>(), users = new Map<string, UserStreams>();
  const closing = new AbortController(),
    { check, remove } = openAccessChecks(db, log, readVisibility, { onLost, closing: closing.signal });
  let streams = 0, pollTimer: ReturnType<typeof setInterval> | undefined;

  function onLost(access: HubAccess): void {
    removeAccess(access); // should it be given anew, that is another right
    for (const leave of access.endStreams) leave();
  }

  function removeAccess(access: HubAccess): void {
    remove(access);
    users.get(access.userId)?.accesses.delete(access);
    if (accesses.get(keyOf(access)) === access) accesses.delete(keyOf(access));
  }

  function onUserChanged(userId: string): void {
    for (const access of users.get(userId)?.accesses ?? []) {
      Object.assign(access, { changed: true, decidedAt: -Infinity });
      void check(access);
    }
  }

  function checkDue(): void {
    const due = performance.now() - CHECK_INTERVAL + SECOND / 2; // or it would be the next time
    for (const access of accesses.values()) if (access.decidedAt <= due) void check(access);
  }

  function addStream(userId: string): UserStreams {
    const user = users.get(userId) ??
      {
        streams: 0,
        accesses: new Set(),
        unsubscribe: db.wakeups.subscribe(`user:${userId}`, () => onUserChanged(userId)),
      };
    users.set(userId, user);
    user.streams++;
    if (streams++ === 0) pollTimer = setInterval(checkDue, SECOND);
    return user;
  }

  function removeStream(userId: string, user: UserStreams): void {
    if (--streams === 0) clearInterval(pollTimer);
    if (--user.streams > 0) return;
    user.unsubscribe();
    users.delete(userId);
  }

  return {
    enter(follower) {
      const { userId, federationId } = follower;
      if ((users.get(userId)?.streams ?? 0) >= MAX_PER_USER) {
        throw tooManyStreamsFault(`You have ${MAX_PER_USER} event streams open; close one of them first`);
      }
      if (streams >= maxStreams) {
        throw tooManyStreamsFault("As many event streams are open as there may be; try again later");
      }
      const user = addStream(userId), enteredAt = performance.now(), ended = new AbortController();
      const access = accesses.get(keyOf(follower)) ?? createHubAccess(follower);
      accesses.set(keyOf(follower), access);
      user.accesses.add(access);
      const leave = () => {
        if (!access.endStreams.delete(leave)) return;
        ended.abort();
        if (access.endStreams.size === 0) removeAccess(access);
        removeStream(userId, user);
      };
      access.endStreams.add(leave);
      if (closing.signal.aborted) leave();
      return {
        federationId,
        userId,
        ended: ended.signal,
        visibility(since) {
          const { decidedAt, expiresAt: endsAt, visibility } = access, now = performance.now();
          const isCurrent = decidedAt >= since && decidedAt >= enteredAt && decidedAt >= now - MAX_AGE && now < endsAt;
          return isCurrent && !ended.signal.aborted ? visibility : null;
        },
        recheck: () => check(access),
        leave,
      };
    },
    close() {
      closing.abort();
      clearInterval(pollTimer);
      for (const access of accesses.values()) for (const leave of access.endStreams) leave();
    },
  };
}

function keyOf({ credentialId, federationId }: Follower): string {
  return `${credentialId} ${federationId}`;
}

/** Streams last for long; a reader that comes back at once finds the same. */
function tooManyStreamsFault(message: string): Fault {
  return new Fault("limited", "too_many_streams", message, { retryAfter: 5 + Math.random() * 10 });
}
