/** Wakes a waiting task after a notification or a timeout. */
import { runWithin } from "#lib/base/cancellation.ts";
import { sleep } from "#lib/base/time.ts";

export interface Notifier {
  notify(): void;
  /** Waits for `notify`, or until the timeout. Returns immediately if `notify` was called since the last wait. */
  waitForNews(timeoutMs: number, signal: AbortSignal): Promise<void>;
}

export function openNotifier(): Notifier {
  let notified = false, wake = () => {};
  return {
    notify: () => {
      notified = true;
      wake();
    },
    waitForNews: async (most, signal) => {
      if (!notified && most > 0) {
        const news = new Promise<void>((resolve) => wake = resolve);
        await runWithin([signal], null, (inner) => Promise.race([news, sleep(most, inner)]));
      }
      signal.throwIfAborted();
      notified = false;
    },
  };
}
