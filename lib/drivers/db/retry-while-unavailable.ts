/** Reads until the database answers: for work that waits while the database is busy or away, because no request does. */
import { Fault } from "#lib/base/errors.ts";
import { backoff, SECOND, sleep } from "#lib/base/time.ts";

/** Rejects with the signal's reason once it aborts, and with whatever would be the same at the next try. */
export async function retryWhileUnavailable<T>(read: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let failed = 1;; failed++) {
    signal.throwIfAborted();
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof Fault && error.kind === "unavailable")) throw error;
      await sleep(backoff(failed, 100, 2 * SECOND), signal);
    }
  }
}
