/**
 * Limits the number of event streams per replica, and tracks which events each reader may see. Each combination of
 * credential and hub is checked once for all of its streams. The check is repeated every three seconds, after a wake-up
 * for the user, and when a reader needs a newer result.
 */
import type { Database } from "#lib/drivers/db/database.ts";
import {
  createAccessChecks,
  createHubAccess,
  type HubAccess,
  type ReadVisibility,
  type StreamFollower,
  type StreamVisibility,
} from "#lib/events/visibility.ts";
import { Fault } from "#lib/base/errors.ts";
import type { Log } from "#lib/base/log.ts";
import { SECOND } from "#lib/base/time.ts";

export interface StreamReader {
  readonly federationId: string;
  readonly userId: string;
  /** Aborts when the stream must end, because access was lost, the client disconnected or the replica is stopping. */
  readonly ended: AbortSignal;
  /**
   * Returns which events the reader may see, or null if access must be checked again. A check counts if it started
   * after the reader joined, after the user's last wake-up, at most 4.5 s ago and not before `since`.
   */
  visibility(since: number): StreamVisibility | null;
  /** Resolves after another access check has succeeded or failed. */
  recheck(): Promise<void>;
  leave(): void;
}

export interface StreamReaders {
  /** Adds an event stream. Throws the fault `too_many_streams` if the user or the replica has too many streams. */
  enter(follower: StreamFollower): StreamReader;
  close(): void;
}

export interface StreamReadersOptions {
  readonly readVisibility: ReadVisibility;
  /** The maximum number of open streams on this replica. */
  readonly maxStreams: number;
}

interface UserStreams {
  streams: number;
  readonly accesses: Set<HubAccess>;
  readonly unsubscribe: () => void;
}

const MAX_PER_USER = 20;
const CHECK_INTERVAL = 3 * SECOND;
// How old an access check may be, in milliseconds: the interval between checks, plus time for a slow check.
const MAX_AGE = 1.5 * CHECK_INTERVAL;

export function openStreamReaders(
  db: Database,
  log: Log,
  { readVisibility, maxStreams }: StreamReadersOptions,
): StreamReaders {
  const accesses = new Map<string, HubAccess>(), users = new Map<string, UserStreams>();
  const closing = new AbortController(),
    { check, remove } = createAccessChecks(db, log, readVisibility, { onLost, closing: closing.signal });
  let streams = 0, pollTimer: ReturnType<typeof setInterval> | undefined;

  function onLost(access: HubAccess): void {
    removeAccess(access); // if access is granted again, a new object is created
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
    // Checks access up to half a second early, because waiting for the timer's next run would be too late.
    const due = performance.now() - CHECK_INTERVAL + SECOND / 2;
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
        throw tooManyStreamsFault("This server has reached its limit of open event streams; try again later");
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

function keyOf({ credentialId, federationId }: StreamFollower): string {
  return `${credentialId} ${federationId}`;
}

/** Creates the fault with a random retry delay of 5 to 15 seconds, because an immediate retry would also fail. */
function tooManyStreamsFault(message: string): Fault {
  return new Fault("limited", "too_many_streams", message, { retryAfter: 5 + Math.random() * 10 });
}
