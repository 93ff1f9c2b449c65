/** Does once more what the server has undone, because others were in the way: a transaction, or a statement by itself. */
import { contended, isPassing, isStale } from "#lib/drivers/db/faults.ts";
import { backoff, sleep } from "#lib/base/time.ts";

const TRIES = 3; // of what met a deadlock

interface AgainOptions {
  readonly signal?: AbortSignal | undefined;
  /** Sessions that may be stale: after a migration all of the pool's are, and each that shows it is replaced. */
  readonly sessions?: () => number;
}

/** `work` must leave nothing behind when it fails. Rejects with whatever would be the same at the next try. */
export async function again<T>(work: () => Promise<T>, { signal, sessions = () => 0 }: AgainOptions): Promise<T> {
  for (let attempt = 1, stale = 0;; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isPassing(error)) throw error;
      if (isStale(error) && stale++ < sessions()) attempt--;
      else if (attempt === TRIES) throw contended(error);
      else await sleep(backoff(attempt, 20, 200), signal);
    }
  }
}
