/** Runs asynchronous work that signals and timeouts can cancel. */

/** Awaits all promises like Promise.all, but rejects only after every promise has settled. */
export async function settleAll<T extends readonly Promise<unknown>[]>(
  work: T,
): Promise<{ -readonly [I in keyof T]: Awaited<T[I]> }> {
  await Promise.allSettled(work);
  return await Promise.all(work);
}

interface Limit {
  readonly ms: number;
  readonly createError: () => Error;
}

/**
 * Runs `run` with a signal that aborts when any outer signal aborts, when the timeout expires, and when `run` finishes.
 * The returned promise rejects when the signal aborts, even if `run` ignores the signal.
 */
export async function runCancellable<T>(
  signals: readonly AbortSignal[],
  limit: Limit | null,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  for (const signal of signals) signal.throwIfAborted();
  const inner = new AbortController();
  const { promise: end, reject } = Promise.withResolvers<never>();
  const stop = (reason: unknown) => {
    reject(reason);
    inner.abort(reason);
  };
  const listeners = signals.map((signal) => ({ signal, onAbort: () => stop(signal.reason) }));
  for (const { signal, onAbort } of listeners) signal.addEventListener("abort", onAbort, { once: true });
  const timer = limit ? setTimeout(() => stop(limit.createError()), limit.ms) : undefined;
  try {
    return await Promise.race([run(inner.signal), end]); // the race handles rejections of both promises
  } finally {
    clearTimeout(timer);
    for (const { signal, onAbort } of listeners) signal.removeEventListener("abort", onAbort);
    inner.abort(new Error("the work has ended"));
  }
}
