/** Retries transactions and statements that the server rolled back because of concurrent ones. */
import { isRetryable, isStalePlan, lockedFault } from "#lib/drivers/db/faults.ts";
import { backoffDelay, sleep } from "#lib/base/time.ts";

const MAX_ATTEMPTS = 3; // after deadlocks

interface RetryOptions {
  readonly signal?: AbortSignal | undefined;
  /**
   * The number of sessions with possibly stale plans. After a migration, every session of the pool may have them. Each
   * session is replaced at its first error.
   */
  readonly sessions?: () => number;
}

/**
 * Runs `work`, and retries it after transient errors. `work` must leave no effects when it fails. Rejects with
 * permanent errors immediately.
 */
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
      else await sleep(backoffDelay(attempt, 20, 200), signal);
    }
  }
}
