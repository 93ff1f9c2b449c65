/** Looking again and again at what nothing in the cluster announces as ready, as long as the step may wait. */
import type { Run } from "#lib/scheduler/handler.ts";
import { backoff, SECOND, sleep } from "#lib/base/time.ts";

const PAUSE = 3 * SECOND; // between looks, once it has lasted

/** Looks until there is nothing left to wait for, telling people what for; gives back what it was when the time is over. */
export async function lookUntil(run: Run, look: () => Promise<string | null>): Promise<string | null> {
  const end = performance.now() + run.patience();
  for (let looks = 1;; looks++) {
    const lack = await look();
    if (lack === null || performance.now() > end) return lack;
    run.progress(lack);
    await sleep(backoff(looks, 50, PAUSE), run.signal);
  }
}
