/**
 * Waits for something that announces itself in no other way. Looking costs what is waited for its processor: whoever has
 * waited for long looks less often, and is still late by no more than a part of what it has waited.
 */
import { sleep } from "#lib/base/time.ts";

const OFTEN = 10, SELDOM = 50; // ms between two looks
const PATIENCE = 60_000; // ms, of which a machine with nothing else to do takes a part; only what is broken waits so long

/** Returns what `look` returns as soon as that is neither false nor null nor undefined. */
export async function until<T>(look: () => T | Promise<T>, limit = PATIENCE): Promise<Exclude<NonNullable<T>, false>> {
  const start = performance.now();
  for (;;) {
    const found = await look();
    if (found !== false && found !== null && found !== undefined) return found as Exclude<NonNullable<T>, false>;
    const waited = performance.now() - start;
    if (waited > limit) throw new Error(`Waited ${limit} ms in vain until ${look}`);
    await sleep(Math.min(OFTEN + waited / 8, SELDOM));
  }
}

/** What the promise was rejected with; throws if it was not. */
export async function rejection(promise: Promise<unknown>): Promise<Error & { code?: string }> {
  const value = await promise.then((value) => ({ value }), (error) => error);
  if (value instanceof Error) return value;
  throw new Error(`Expected a rejection with an Error, got ${JSON.stringify(value)}`);
}
