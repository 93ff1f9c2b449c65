/** Delays calls while an API server limits requests. */
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import { runWithin } from "#lib/base/cancellation.ts";
import { SECOND, sleep } from "#lib/base/time.ts";

/** Opens the throttle. After a 429, calls wait as long as the server requested. */
export function openThrottle(deadline: number) {
  let until = 0;
  return {
    /** Waits until requests are allowed. Throws if that takes longer than the deadline. */
    async waitUntilAllowed(signals: readonly AbortSignal[]): Promise<void> {
      for (let wait; (wait = until - performance.now()) > 0;) {
        if (wait > deadline) throw throttledError(wait);
        await sleepWithSignals(wait, signals);
      }
    },
    /** Stores the wait that the error requests, and returns the error. */
    noteError(error: ClusterError): ClusterError {
      if (error.status === 429) until = Math.max(until, performance.now() + (error.retryAfterMs ?? SECOND));
      return error;
    },
  };
}

/** Sleeps, unless a signal aborts. */
export function sleepWithSignals(ms: number, signals: readonly AbortSignal[]): Promise<void> {
  return runWithin(signals, null, (signal) => sleep(ms, signal));
}

function throttledError(ms: number): ClusterError {
  const message = `The API server is limiting requests for another ${Math.ceil(ms / SECOND)} s`;
  return new ClusterError("TooManyRequests", message, { transient: true, status: 429, retryAfterMs: ms });
}
