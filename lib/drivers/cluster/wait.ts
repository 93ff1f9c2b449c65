/**
 * Waiting for the cluster: look, and look again when something has changed or ten seconds have passed.
 *
 * What is not so at the first look may be so in a moment: only what lasts longer is watched, from what was seen last.
 * Watches are hints that it is time to look; what is so is always read afresh. So a watch that was lost, refused or
 * late can delay an answer, never falsify it. An API server that does not answer is waited for, too.
 */
import type { Api } from "#lib/drivers/cluster/client/api.ts";
import { type Call, ClusterError, type Waiting } from "#lib/drivers/cluster/cluster.ts";
import { watch, type WatchQuery } from "#lib/drivers/cluster/client/watch.ts";
import { openNotifier } from "#lib/base/notifier.ts";
import type { Log } from "#lib/base/log.ts";
import { runWithin } from "#lib/base/cancellation.ts";
import { backoff, SECOND, sleep } from "#lib/base/time.ts";

export type Seen<T> =
  | { readonly done: T }
  | {
    /** None: nothing is known yet that people should be told. */
    readonly sentence?: string; /** Milliseconds after which to look again in any case. */
    readonly again?: number | undefined;
    /** What a change shows in, from what was seen. */
    readonly watches?: readonly WatchQuery[];
  };

interface Wait<T> {
  readonly api: Api;
  readonly log: Log;
  /** What is waited for, to begin the sentence that it did not come. */
  readonly what: string;
  /** The first look need not tell why it is not so: that may be over in a moment. */
  readonly look: (call: Call, isFirst: boolean) => Promise<Seen<T>>;
}

const BACKSTOP = 10 * SECOND;
/** The same without watches: some installations may not grant them. */
const BLIND = 3 * SECOND;
/** Between the first look and the second. */
const MOMENT = 50;
/** Changes come in bursts: a pod's start is a dozen of them. */
const GAP = 250;
/** What a timer can hold. */
const LONGEST = 2 ** 31 - 1;

export async function waitFor<T>(wait: Wait<T>, waiting: Waiting): Promise<T> {
  let sentence = "nothing was seen yet", backstop = BACKSTOP, hints: Promise<void> | undefined;
  const tell = (news = sentence) => {
    if (news !== sentence) waiting.onProgress?.(news);
    sentence = news;
  };
  const bell = openNotifier();
  const look = async (signal: AbortSignal): Promise<T> => {
    const call: Call = { ...waiting, signal };
    for (let looks = 0, failures = 0;;) {
      let pause = backstop;
      try {
        const seen = await wait.look(call, looks === 0);
        if ("done" in seen) return seen.done;
        tell(seen.sentence);
        pause = Math.min(backstop, seen.again ?? backstop);
        failures = 0;
        if (looks++ === 0) pause = Math.min(pause, MOMENT);
        else {hints ??= follow(wait, seen.watches ?? [], call, {
            onChange: bell.notify,
            onBlind: () => backstop = BLIND,
          });}
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof ClusterError) || !error.transient) throw error;
        tell(`The cluster ${error.status > 0 ? "answers" : "does not answer"}: ${error.message}`);
        pause = Math.max(backoff(++failures, SECOND, BACKSTOP), error.retryAfterMs ?? 0);
      }
      await sleep(Math.min(GAP, pause), signal);
      await bell.waitForNews(pause - GAP, signal);
    }
  };
  const late = () => lateError(wait.what, waiting.timeout, sentence);
  try {
    return await runWithin([waiting.signal, wait.api.closed], {
      ms: Math.min(waiting.timeout, LONGEST),
      createError: late,
    }, look);
  } finally {
    await hints;
  }
}

interface Listener {
  readonly onChange: () => void;
  readonly onBlind: () => void;
}

/** Tells of every change, until called off. A watch that is refused is done without. */
async function follow<T>(
  wait: Wait<T>,
  watches: readonly WatchQuery[],
  call: Call,
  listener: Listener,
): Promise<void> {
  const one = async (options: WatchQuery) => {
    const onTrouble = (error: ClusterError) =>
      wait.log.debug("A watch was interrupted", { path: options.path, error: error.message });
    for await (const _change of watch(wait.api, { ...options, onTrouble }, call)) listener.onChange();
  };
  const note = (error: unknown) => {
    if (call.signal.aborted) return;
    listener.onBlind();
    wait.log.warn("Waiting without a watch", { what: wait.what, error });
  };
  await Promise.all(watches.map((options) => one(options).catch(note)));
}

function lateError(what: string, timeout: number, sentence: string): ClusterError {
  const message = `${what} took over ${Math.round(timeout / SECOND)} s; last seen: ${sentence}`;
  return new ClusterError("deadline", message, { transient: true });
}
