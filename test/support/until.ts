/** Polls until a condition is met, for conditions without a notification. Polls less often over time, because polling
 * takes CPU time from the work to wait for. */
import { sleep } from "#lib/base/time.ts";

const OFTEN = 10, SELDOM = 50; // milliseconds between two checks
const PATIENCE = 180_000; // milliseconds; an idle machine is much faster, so only a broken test waits this long

/** Returns the first result of `look` that is not false, null or undefined. Throws after the time limit. */
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

/** Returns the error of a rejected promise. Throws an error if the promise resolves. */
export async function rejection(promise: Promise<unknown>): Promise<Error & { code?: string }> {
  const value = await promise.then((value) => ({ value }), (error) => error);
  if (value instanceof Error) return value;
  throw new Error(`Expected a rejection with an Error, got ${JSON.stringify(value)}`);
}
