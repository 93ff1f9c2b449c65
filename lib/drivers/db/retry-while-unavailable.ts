/** Retries a read for background work until the database answers. */
import { Fault } from "#lib/base/errors.ts";
import { backoffDelay, SECOND, sleep } from "#lib/base/time.ts";

/** Runs `read` until it succeeds. Rejects when the signal aborts, and immediately after a permanent error. */
export async function retryWhileUnavailable<T>(read: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let failed = 1;; failed++) {
    signal.throwIfAborted();
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof Fault && error.kind === "unavailable")) throw error;
      await sleep(backoffDelay(failed, 100, 2 * SECOND), signal);
    }
  }
}
