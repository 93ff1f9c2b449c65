/** Delays calls while an API server is limiting requests (HTTP status 429). */
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import { runCancellable } from "#lib/base/cancellation.ts";
import { SECOND, sleep } from "#lib/base/time.ts";

/** Creates a throttle that delays calls after a 429 response, for as long as the server requested. */
export function createCallThrottle(deadline: number) {
  let until = 0;
  return {
    /** Waits until requests are allowed again. Throws immediately if the wait would exceed `deadline` milliseconds. */
    async waitUntilAllowed(signals: readonly AbortSignal[]): Promise<void> {
      for (let wait; (wait = until - performance.now()) > 0;) {
        if (wait > deadline) throw throttledError(wait);
        await sleepUnlessAborted(wait, signals);
      }
    },
    /** If the error has status 429, stores how long calls must wait. Returns the error unchanged. */
    noteError(error: ClusterError): ClusterError {
      if (error.status === 429) until = Math.max(until, performance.now() + (error.retryAfterMs ?? SECOND));
      return error;
    },
  };
}

/** Sleeps for `ms` milliseconds, or throws as soon as a signal aborts. */
export function sleepUnlessAborted(ms: number, signals: readonly AbortSignal[]): Promise<void> {
  return runCancellable(signals, null, (signal) => sleep(ms, signal));
}

function throttledError(ms: number): ClusterError {
  const message = `The API server accepts no requests for another ${Math.ceil(ms / SECOND)} s`;
  return new ClusterError("TooManyRequests", message, { transient: true, status: 429, retryAfterMs: ms });
}
