/** Retries transactions and statements that failed because of concurrent transactions or a migration. */
import { createConcurrentChangeFault, isRetryableError, isStalePlanError } from "#lib/drivers/db/faults.ts";
import { backoffDelay, sleep } from "#lib/base/time.ts";

const MAX_ATTEMPTS = 3; // the maximum number of attempts after deadlocks

interface RetryOptions {
  readonly signal?: AbortSignal | undefined;
  /** Returns the number of sessions that may have outdated plans. A session is replaced after its first such error. */
  readonly sessions?: () => number;
}

/**
 * Runs `work` again after transient errors, so a failed run must leave no effects. Rejects immediately after a
 * permanent error.
 */
export async function retryTransient<T>(
  work: () => Promise<T>,
  { signal, sessions = () => 0 }: RetryOptions,
): Promise<T> {
  for (let attempt = 1, stale = 0;; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isRetryableError(error)) throw error;
      if (isStalePlanError(error) && stale++ < sessions()) attempt--;
      else if (attempt === MAX_ATTEMPTS) throw createConcurrentChangeFault(error);
      else await sleep(backoffDelay(attempt, 20, 200), signal);
    }
  }
}
