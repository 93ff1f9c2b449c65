/** Waits for something that announces itself in no other way. */
import { sleep } from "#lib/time.ts";

/** Returns what `look` returns as soon as that is neither false nor null nor undefined. */
export async function until<T>(look: () => T | Promise<T>, limit = 20_000): Promise<Exclude<NonNullable<T>, false>> {
  const end = performance.now() + limit;
  for (;;) {
    const found = await look();
    if (found !== false && found !== null && found !== undefined) return found as Exclude<NonNullable<T>, false>;
    if (performance.now() > end) throw new Error(`Waited ${limit} ms in vain until ${look}`);
    await sleep(10);
  }
}

/** What the promise was rejected with; throws if it was not. */
export async function rejection(promise: Promise<unknown>): Promise<Error & { code?: string }> {
  const value = await promise.then((value) => ({ value }), (error) => error);
  if (value instanceof Error) return value;
  throw new Error(`Expected a rejection with an Error, got ${JSON.stringify(value)}`);
}
