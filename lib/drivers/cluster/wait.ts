/**
 * Repeats a check after each change, and at least every ten seconds, until the cluster has reached a state. A watch
 * only triggers the next check, which reads the current state. So a lost or late watch can delay the result, but the
 * result is never wrong.
 */
import type { KubeApi } from "#lib/drivers/cluster/client/api.ts";
import { type ClusterCall, ClusterError, type ClusterWaitOptions } from "#lib/drivers/cluster/cluster.ts";
import { watchCollection, type WatchQuery } from "#lib/drivers/cluster/client/watch.ts";
import { createNotifier } from "#lib/base/notifier.ts";
import type { Log } from "#lib/base/log.ts";
import { runCancellable } from "#lib/base/cancellation.ts";
import { backoffDelay, SECOND, sleep } from "#lib/base/time.ts";

export type WaitCheckResult<T> =
  | { readonly done: T }
  | {
    /** The progress message for users. Absent if there is no progress to report yet. */
    readonly sentence?: string;
    /** The maximum time until the next check, in milliseconds. */
    readonly again?: number | undefined;
    /** Queries for watches that report changes after this check. */
    readonly watches?: readonly WatchQuery[];
  };

interface WaitTask<T> {
  readonly api: KubeApi;
  readonly log: Log;
  /** The start of the timeout message, for example `Job backup`. */
  readonly what: string;
  /** Checks whether the wait is over. The first check may omit the progress message, because the wait may end soon. */
  readonly check: (call: ClusterCall, isFirst: boolean) => Promise<WaitCheckResult<T>>;
}

const POLL_INTERVAL = 10 * SECOND;
/** The time between checks if Wheelwright may not watch the objects, in milliseconds. */
const UNWATCHED_INTERVAL = 3 * SECOND;
/** The time between the first check and the second, in milliseconds. */
const SECOND_CHECK_AFTER = 50;
/** The minimum time between checks, in milliseconds. Starting a pod causes a dozen changes in quick succession. */
const MIN_INTERVAL = 250;
/** The longest delay that `setTimeout` accepts, in milliseconds. */
const MAX_TIMER = 2 ** 31 - 1;

export async function waitForState<T>(wait: WaitTask<T>, waiting: ClusterWaitOptions): Promise<T> {
  let sentence = "nothing observed yet", backstop = POLL_INTERVAL, watching: Promise<void> | undefined;
  const report = (progress = sentence) => {
    if (progress !== sentence) waiting.onProgress?.(progress);
    sentence = progress;
  };
  const notifier = createNotifier();
  const pollUntilDone = async (signal: AbortSignal): Promise<T> => {
    const call: ClusterCall = { ...waiting, signal };
    for (let checks = 0, failures = 0;;) {
      let pause = backstop;
      try {
        const result = await wait.check(call, checks === 0);
        if ("done" in result) return result.done;
        report(result.sentence);
        pause = Math.min(backstop, result.again ?? backstop);
        failures = 0;
        if (checks++ === 0) pause = Math.min(pause, SECOND_CHECK_AFTER);
        else {watching ??= watchAll(wait, result.watches ?? [], call, {
            onChange: notifier.notify,
            onRefused: () => backstop = UNWATCHED_INTERVAL,
          });}
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof ClusterError) || !error.transient) throw error;
        report(`The cluster ${error.status > 0 ? "returned an error" : "does not respond"}: ${error.message}`);
        pause = Math.max(backoffDelay(++failures, SECOND, POLL_INTERVAL), error.retryAfterMs ?? 0);
      }
      await sleep(Math.min(MIN_INTERVAL, pause), signal);
      await notifier.waitForNotification(pause - MIN_INTERVAL, signal);
    }
  };
  const late = () => timeoutError(wait.what, waiting.timeout, sentence);
  try {
    return await runCancellable(
      [waiting.signal, wait.api.closed],
      {
        ms: Math.min(waiting.timeout, MAX_TIMER),
        createError: late,
      },
      pollUntilDone,
    );
  } finally {
    await watching;
  }
}

interface ChangeListener {
  readonly onChange: () => void;
  readonly onRefused: () => void;
}

/** Calls the listener for every change until the signal aborts. If a watch is refused, the other watches continue. */
async function watchAll<T>(
  wait: WaitTask<T>,
  watches: readonly WatchQuery[],
  call: ClusterCall,
  listener: ChangeListener,
): Promise<void> {
  const one = async (options: WatchQuery) => {
    const onRetry = (error: ClusterError) =>
      wait.log.debug("A watch was interrupted", { path: options.path, error: error.message });
    for await (const _change of watchCollection(wait.api, { ...options, onRetry }, call)) listener.onChange();
  };
  const onError = (error: unknown) => {
    if (call.signal.aborted) return;
    listener.onRefused();
    wait.log.warn("Cannot watch the cluster; polling instead", { what: wait.what, error });
  };
  await Promise.all(watches.map((options) => one(options).catch(onError)));
}

function timeoutError(what: string, timeout: number, sentence: string): ClusterError {
  const message = `${what} took longer than ${Math.round(timeout / SECOND)} s; last seen: ${sentence}`;
  return new ClusterError("deadline", message, { transient: true });
}
