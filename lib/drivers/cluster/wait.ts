/**
 * Waiting for the cluster: look, and look again when something has changed or ten seconds have passed.
 *
 * Watches are hints that it is time to look; what is so is always read afresh. So a watch that was lost, refused or
 * late can delay an answer, never falsify it. An API server that does not answer is waited for, too.
 */
import type { Api } from "#lib/drivers/cluster/wire/api.ts";
import { type Call, ClusterError, type Waiting } from "#lib/drivers/cluster/cluster.ts";
import { watch, type WatchOptions } from "#lib/drivers/cluster/wire/watch.ts";
import type { Log } from "#lib/base/log.ts";
import { backoff, SECOND, sleep } from "#lib/base/time.ts";

export type Seen<T> =
  | { readonly done: T }
  | {
    readonly sentence: string; /** Milliseconds after which to look again in any case. */
    readonly again?: number | undefined;
  };

interface Wait<T> {
  readonly api: Api;
  readonly log: Log;
  /** What is waited for, to begin the sentence that it did not come. */
  readonly what: string;
  readonly hints: (call: Call) => Promise<readonly WatchOptions[]>;
  readonly look: (call: Call) => Promise<Seen<T>>;
}

const BACKSTOP = 10 * SECOND;
/** The same without watches: some installations may not grant them. */
const BLIND = 3 * SECOND;
/** Changes come in bursts: a pod's start is a dozen of them. */
const GAP = 250;
/** What a timer can hold. */
const LONGEST = 2 ** 31 - 1;

export async function waitFor<T>(wait: Wait<T>, waiting: Waiting): Promise<T> {
  waiting.signal.throwIfAborted();
  wait.api.closed.throwIfAborted();
  const inner = new AbortController();
  const call: Call = { ...waiting, signal: inner.signal };
  const onAbort = () => inner.abort(waiting.signal.reason);
  const onClose = () => inner.abort(wait.api.closed.reason);
  waiting.signal.addEventListener("abort", onAbort, { once: true });
  wait.api.closed.addEventListener("abort", onClose, { once: true });
  let sentence = "nothing was seen yet";
  const tell = (news: string) => {
    if (news !== sentence) waiting.onProgress?.(news);
    sentence = news;
  };
  const expire = () => inner.abort(lateError(wait.what, waiting.timeout, sentence));
  const timer = setTimeout(expire, Math.min(waiting.timeout, LONGEST));
  const bell = openBell();
  let backstop = BACKSTOP;
  const hints = follow(wait, call, { onChange: bell.ring, onBlind: () => backstop = BLIND });
  try {
    for (let failures = 0;;) {
      let pause = backstop;
      try {
        const seen = await wait.look(call);
        if ("done" in seen) return seen.done;
        tell(seen.sentence);
        pause = Math.min(backstop, seen.again ?? backstop);
        failures = 0;
      } catch (error) {
        inner.signal.throwIfAborted();
        if (!(error instanceof ClusterError) || !error.transient) throw error;
        tell(`The cluster ${error.status > 0 ? "answers" : "does not answer"}: ${error.message}`);
        pause = Math.max(backoff(++failures, SECOND, BACKSTOP), error.retryAfterMs ?? 0);
      }
      await sleep(Math.min(GAP, pause), inner.signal);
      await bell.heard(pause - GAP, inner.signal);
    }
  } finally {
    clearTimeout(timer);
    waiting.signal.removeEventListener("abort", onAbort);
    wait.api.closed.removeEventListener("abort", onClose);
    inner.abort(new Error("no longer waited for"));
    await hints;
  }
}

interface Listener {
  readonly onChange: () => void;
  readonly onBlind: () => void;
}

/** Tells of every change, until called off. A watch that is refused is done without. */
async function follow<T>(wait: Wait<T>, call: Call, listener: Listener): Promise<void> {
  const one = async (options: WatchOptions) => {
    const onTrouble = (error: ClusterError) =>
      wait.log.debug("A watch was interrupted", { path: options.path, error: error.message });
    for await (const _change of watch(wait.api, { ...options, onTrouble }, call)) listener.onChange();
  };
  const note = (error: unknown) => {
    if (call.signal.aborted) return;
    listener.onBlind();
    wait.log.warn("Waiting without a watch", { what: wait.what, error });
  };
  try {
    await Promise.all((await wait.hints(call)).map((options) => one(options).catch(note)));
  } catch (error) {
    note(error);
  }
}

interface Bell {
  ring(): void;
  /** Waits until it rings, at most so long; a ring that came before is heard at once. */
  heard(most: number, signal: AbortSignal): Promise<void>;
}

function openBell(): Bell {
  let rung = false, wake = () => {};
  return {
    ring: () => {
      rung = true;
      wake();
    },
    heard: async (most, signal) => {
      if (!rung && most > 0) {
        const quiet = new AbortController();
        const onAbort = () => quiet.abort();
        wake = onAbort;
        signal.addEventListener("abort", onAbort, { once: true });
        await sleep(most, quiet.signal).catch(() => {}); // woken: by the bell, or by the signal, which is asked below
        signal.removeEventListener("abort", onAbort);
      }
      signal.throwIfAborted();
      rung = false;
    },
  };
}

function lateError(what: string, timeout: number, sentence: string): ClusterError {
  const message = `${what} took over ${Math.round(timeout / SECOND)} s; last seen: ${sentence}`;
  return new ClusterError("deadline", message, { transient: true });
}
