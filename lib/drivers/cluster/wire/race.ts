/** Waiting for what may never come: given up at once when called off, and at the latest after so long. */

interface Limit {
  readonly ms: number;
  readonly late: () => Error;
}

/** The promise's own end, a signal's reason, or the limit's error: whichever is first. What comes later is not heard of. */
export async function firstOf<T>(promise: Promise<T>, signals: readonly AbortSignal[], limit?: Limit): Promise<T> {
  promise.catch(() => {}); // whatever came first was told
  for (const signal of signals) signal.throwIfAborted();
  const { promise: end, reject } = Promise.withResolvers<never>();
  const ties = signals.map((signal) => ({ signal, onAbort: () => reject(signal.reason) }));
  for (const { signal, onAbort } of ties) signal.addEventListener("abort", onAbort, { once: true });
  const timer = limit && setTimeout(() => reject(limit.late()), limit.ms);
  try {
    return await Promise.race([promise, end]);
  } finally {
    clearTimeout(timer);
    for (const { signal, onAbort } of ties) signal.removeEventListener("abort", onAbort);
  }
}

/** Rests so long, unless one of the signals calls it off. */
export async function rest(ms: number, signals: readonly AbortSignal[]): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  try {
    await firstOf(promise, signals);
  } finally {
    clearTimeout(timer);
  }
}
