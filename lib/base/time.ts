/** Spans of time in milliseconds, and waiting that can be called off. */
export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** Whether it is a day that there is, as 2026-12-01: JavaScript takes 30 February for 2 March. */
export function isCalendarDay(text: string): boolean {
  const at = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
}

/** Waits for `ms` milliseconds; rejects with the signal's reason as soon as it aborts. */
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
 * The wait before try number `attempt` (1 is the first repeat), in milliseconds: doubles from `first` up to `most`,
 * and half of it is chance, so that many who failed together do not come back together.
 */
export function backoff(attempt: number, first: number, most: number): number {
  const full = Math.min(most, first * 2 ** Math.min(attempt - 1, 30));
  return Math.round(full / 2 + Math.random() * full / 2);
}

/** What comes within so many milliseconds, or undefined. Leaves no timer behind that would keep the process alive. */
export async function withTimeout<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  const over = new AbortController();
  const late = sleep(ms, over.signal).then(() => undefined);
  return await Promise.race([work, late]).finally(() => over.abort());
}
