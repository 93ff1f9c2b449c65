/**
 * Counts the connections per user, so that one user cannot take the whole pool. A single user's requests never get the
 * last quarter of the pool. When a connection becomes free, the waiting user with the fewest connections gets it. Work
 * without a user, such as a job, is not limited.
 */
export interface ConnectionShares {
  /** Returns whether the user may take another connection. */
  mayTake(user: string | undefined): boolean;
  take(user: string | undefined): void;
  release(user: string | undefined): void;
  /** Returns the waiting caller whose user has the fewest connections, or undefined if all users are at the limit. */
  next<W extends { readonly user: string | undefined }>(waiting: Iterable<W>): W | undefined;
}

const MIN_SHARE = 2; // connections; a request may need a second one to read while its transaction is open

export function openConnectionShares(size: number): ConnectionShares {
  const most = Math.max(MIN_SHARE, size - Math.ceil(size / 4)), counts = new Map<string, number>();
  const countOf = (user: string | undefined) => user === undefined ? 0 : counts.get(user) ?? 0;

  function count(user: string | undefined, by: 1 | -1): void {
    if (user === undefined) return;
    const left = countOf(user) + by;
    if (left > 0) counts.set(user, left);
    else counts.delete(user);
  }

  return {
    mayTake: (user) => countOf(user) < most,
    take: (user) => count(user, 1),
    release: (user) => count(user, -1),
    next(waiting) {
      let best, least = most;
      for (const waiter of waiting) {
        const own = countOf(waiter.user);
        if (own < least) [best, least] = [waiter, own];
        if (least === 0) break;
      }
      return best;
    },
  };
}
