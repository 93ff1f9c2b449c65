/** Defines durations in milliseconds, and functions for waiting. */
export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** Returns whether a day such as 2026-12-01 exists. Date.parse would read 30 February as 2 March. */
export function isCalendarDay(text: string): boolean {
  const at = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
}

/** Waits for `ms` milliseconds. Rejects with the signal's reason if the signal aborts. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

/**
 * Returns how long to wait before a retry, in milliseconds: exponential backoff from `first` up to `most`. Half of the
 * delay is random, so that callers that failed together do not retry together. `attempt` is 1 for the first retry.
 */
export function backoffDelay(attempt: number, first: number, most: number): number {
  const full = Math.min(most, first * 2 ** Math.min(attempt - 1, 30));
  return Math.round(full / 2 + Math.random() * full / 2);
}

/** Resolves with the work's result, or with undefined if the work takes longer than `ms` milliseconds. */
export async function withTimeout<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  const over = new AbortController();
  const late = sleep(ms, over.signal).then(() => undefined);
  return await Promise.race([work, late]).finally(() => over.abort());
}

/** Whether the runtime knows the time zone. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en-GB", { timeZone: name });
    return true;
  } catch {
    return false; // Intl throws a RangeError
  }
}
