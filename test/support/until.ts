/** Polls until a condition is met that cannot be waited for in another way. Polls less often the longer it waits,
 * because polling takes CPU time from the work that it waits for. */
import { sleep } from "#lib/base/time.ts";

const OFTEN = 10, SELDOM = 50; // milliseconds between two checks
const PATIENCE = 60_000; // milliseconds; an idle machine needs a fraction of it, so only a broken test waits this long

/** Returns the result of `look` as soon as that result is not false, null or undefined. Throws after the time limit. */
export async function until<T>(look: () => T | Promise<T>, limit = PATIENCE): Promise<Exclude<NonNullable<T>, false>> {
  const start = performance.now();
  for (;;) {
    const found = await look();
    if (found !== false && found !== null && found !== undefined) return found as Exclude<NonNullable<T>, false>;
    const waited = performance.now() - start;
    if (waited > limit) throw new Error(`Waited ${limit} ms for ${look}`);
    await sleep(Math.min(OFTEN + waited / 8, SELDOM));
  }
}

/** Returns the error with which the promise rejects. Throws an error if the promise resolves. */
export async function rejection(promise: Promise<unknown>): Promise<Error & { code?: string }> {
  const value = await promise.then((value) => ({ value }), (error) => error);
  if (value instanceof Error) return value;
  throw new Error(`Expected a rejection with an Error, got ${JSON.stringify(value)}`);
}
