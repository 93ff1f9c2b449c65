/** Waits for something, but not for ever, and leaves no timer behind that would keep the process alive. */
import { sleep } from "#lib/base/time.ts";

export async function atMost(ms: number, work: Promise<unknown>): Promise<void> {
  const over = new AbortController();
  await Promise.race([work, sleep(ms, over.signal)]).finally(() => over.abort());
}
