/**
 * Who has how many connections of a pool, so that one user cannot have all.
 *
 * Somebody's requests may all wait for one row, each with a connection. So a user's requests never hold the last quarter of
 * a pool, and of those who wait the one whose user holds the fewest is next. What belongs to no user, such as finding out
 * who calls, and the work of jobs, is not bounded: it is short, or bounded elsewhere.
 */
export interface ConnectionShares {
  /** Whether one more connection is within the user's share. */
  mayTake(user: string | undefined): boolean;
  take(user: string | undefined): void;
  give(user: string | undefined): void;
  /** Who is served next; undefined when nobody may be. In the order of arrival, all else being equal. */
  next<W extends { readonly user: string | undefined }>(waiting: Iterable<W>): W | undefined;
}

const MIN_SHARE = 2; // connections of any user: a request may read while its own transaction is open

export function openConnectionShares(size: number): ConnectionShares {
  const most = Math.max(MIN_SHARE, size - Math.ceil(size / 4)), held = new Map<string, number>();
  const heldBy = (user: string | undefined) => user === undefined ? 0 : held.get(user) ?? 0;

  function count(user: string | undefined, by: 1 | -1): void {
    if (user === undefined) return;
    const left = heldBy(user) + by;
    if (left > 0) held.set(user, left);
    else held.delete(user);
  }

  return {
    mayTake: (user) => heldBy(user) < most,
    take: (user) => count(user, 1),
    give: (user) => count(user, -1),
    next(waiting) {
      let best, least = most;
      for (const waiter of waiting) {
        const own = heldBy(waiter.user);
        if (own < least) [best, least] = [waiter, own];
        if (least === 0) break;
      }
      return best;
    },
  };
}
