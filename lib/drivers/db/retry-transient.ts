/** Retries transactions and statements that the server rolled back because of concurrent ones. */
import { isRetryable, isStalePlan, lockedFault } from "#lib/drivers/db/faults.ts";
import { backoffDelay, sleep } from "#lib/base/time.ts";

const MAX_ATTEMPTS = 3; // after deadlocks

interface RetryOptions {
  readonly signal?: AbortSignal | undefined;
  /**
   * The number of sessions that may have stale plans after a migration. Each session is replaced at its first error.
   */
  readonly sessions?: () => number;
}

/**
 * Runs `work` again after transient errors. A failed run must leave no effects. Rejects immediately with permanent
 * errors.
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
