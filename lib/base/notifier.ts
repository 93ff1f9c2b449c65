/** Lets one task wait until another task notifies it or a timeout expires. */
import { runCancellable } from "#lib/base/cancellation.ts";
import { sleep } from "#lib/base/time.ts";

export interface Notifier {
  notify(): void;
  /** Waits for `notify` or the timeout. Returns immediately if `notify` was called since the last wait. */
  waitForNotification(timeoutMs: number, signal: AbortSignal): Promise<void>;
}

export function createNotifier(): Notifier {
  let notified = false, wake = () => {};
  return {
    notify: () => {
      notified = true;
      wake();
    },
    waitForNotification: async (limitMs, signal) => {
      if (!notified && limitMs > 0) {
        const notification = new Promise<void>((resolve) => wake = resolve);
        await runCancellable([signal], null, (inner) => Promise.race([notification, sleep(limitMs, inner)]));
      }
      signal.throwIfAborted();
      notified = false;
    },
  };
}
