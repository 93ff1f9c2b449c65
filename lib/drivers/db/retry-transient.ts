/** Does once more what the server has undone, because others were in the way: a transaction, or a statement by itself. */
import { isRetryable, isStalePlan, lockedFault } from "#lib/drivers/db/faults.ts";
import { backoff, sleep } from "#lib/base/time.ts";

const MAX_ATTEMPTS = 3; // of what met a deadlock

interface RetryOptions {
  readonly signal?: AbortSignal | undefined;
  /** Sessions that may be stale: after a migration all of the pool's are, and each that shows it is replaced. */
  readonly sessions?: () => number;
}

/** `work` must leave nothing behind when it fails. Rejects with whatever would be the same at the next try. */
export async function retryTransient<T>(
  work: () => Promise<T>,
  { signal, sessions = () => 0 }: RetryOptions,
): Promise<T> {
  for (let attempt = 1, stale = 0;; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isRetryable(error)) throw error;
      if (isStalePlan(error) && stale++ < sessions()) attempt--;
      else if (attempt === MAX_ATTEMPTS) throw lockedFault(error);
      else await sleep(backoff(attempt, 20, 200), signal);
    }
  }
}
