/** Waiting for what may never come: given up at once when called off, and at the latest after so long. */

/** All of these. Where one fails, none is under way any more when that is told. */
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
 * Runs with a signal of its own, which aborts with any of the outer ones, when the time is over, and at the end: nothing that
 * `run` has begun goes on. It ends with the signal even if `run` does not heed it; what comes of that later is not heard of.
 */
export async function runWithin<T>(
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
    return await Promise.race([run(inner.signal), end]); // the race also takes up what the later one fails with
  } finally {
    clearTimeout(timer);
    for (const { signal, onAbort } of listeners) signal.removeEventListener("abort", onAbort);
    inner.abort(new Error("it is over"));
  }
}
