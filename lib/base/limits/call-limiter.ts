/**
 * Limits calls with the package bottleneck: how many run at the same time, and how many start per second. Calls wait in
 * order of arrival. In addition to bottleneck, an aborted call stops waiting immediately, and each call runs in its own
 * asynchronous context, so that logs and traces name the right request.
 */
import Bottleneck from "bottleneck";
import { runCancellable } from "#lib/base/cancellation.ts";

interface CallLimits {
  /** The maximum number of calls that run at the same time. */
  readonly concurrency: number;
  /** How many calls may start per second on average, and how many may start in quick succession after a pause. */
  readonly rate?: CallRate;
}

interface CallRate {
  readonly perSecond: number;
  readonly burst: number;
}

export interface CallLimiter {
  /** Waits for a turn and runs `work`. Rejects without running `work` if a signal aborts first. */
  run<T>(signals: readonly AbortSignal[], work: () => Promise<T>): Promise<T>;
  /** Stops the timer of a limiter with a rate. */
  close(): void;
}

/** The milliseconds between two increases of the number of allowed calls. */
const INCREASE_INTERVAL = 250;
/** Bottleneck's priorities: a lower number is served first. */
const RETRY_PRIORITY = 4, DEFAULT_PRIORITY = 5;

export function createCallLimiter({ concurrency, rate }: CallLimits): CallLimiter {
  const limiter = adjust(new Bottleneck({ maxConcurrent: concurrency, ...(rate && { reservoir: rate.burst }) }));
  let timer: NodeJS.Timeout | undefined;

  /** Increases the number of allowed calls at intervals, until it has its maximum again. */
  function refill({ perSecond, burst }: CallRate): void {
    if (timer) return;
    timer = setTimeout(async () => {
      const used = burst - (await limiter.currentReservoir() ?? burst);
      await limiter.incrementReservoir(Math.min(Math.ceil(perSecond * INCREASE_INTERVAL / 1000), used));
      timer = undefined;
      if ((await limiter.currentReservoir() ?? burst) < burst) refill({ perSecond, burst });
    }, INCREASE_INTERVAL);
    timer.unref(); // lets the process exit
  }

  return {
    async run(signals, work) {
      for (const signal of signals) signal.throwIfAborted();
      const turn = takeTurn(limiter, signals, DEFAULT_PRIORITY, () => {});
      if (rate) refill(rate);
      const endTurn = await turn;
      try {
        return await work();
      } finally {
        endTurn();
      }
    },
    close: () => clearTimeout(timer),
  };
}

export interface KeyedCallLimiter {
  /**
   * Waits for a turn. Resolves with a function that ends the turn. Rejects with the signal's reason if the signal
   * aborts first. A retry waits before the key's other calls.
   */
  enter(key: string, options?: { readonly signal?: AbortSignal; readonly isRetry?: boolean }): Promise<() => void>;
  /** Returns the keys with running or waiting calls. Other keys use no memory. */
  keys(): readonly string[];
}

interface KeyedCallLimits {
  /** The maximum number of calls that run at the same time across all keys. */
  readonly concurrency: number;
  /** The maximum number of a key's calls that compete with those of other keys. Defaults to 1. */
  readonly perKey?: number;
}

/** Creates a limiter that is fair between keys: a key with many calls does not delay the others. */
export function createKeyedCallLimiter({ concurrency, perKey = 1 }: KeyedCallLimits): KeyedCallLimiter {
  const turns = adjust(new Bottleneck({ maxConcurrent: concurrency }));
  const group = new Bottleneck.Group({ maxConcurrent: perKey }), counts = new Map<string, number>();
  group.on("created", (limiter) => void adjust(limiter).chain(turns));

  function count(key: string, by: number): void {
    const calls = (counts.get(key) ?? 0) + by;
    if (calls > 0) return void counts.set(key, calls);
    counts.delete(key);
    void group.deleteKey(key);
  }

  return {
    async enter(key, { signal, isRetry = false } = {}) {
      signal?.throwIfAborted();
      count(key, 1);
      const priority = isRetry ? RETRY_PRIORITY : DEFAULT_PRIORITY;
      return await takeTurn(group.key(key), signal ? [signal] : [], priority, () => count(key, -1));
    },
    keys: () => group.keys(),
  };
}

async function takeTurn(
  limiter: Bottleneck,
  signals: readonly AbortSignal[],
  priority: number,
  onEnd: () => void,
): Promise<() => void> {
  const turn = Promise.withResolvers<() => void>();
  const task = () => new Promise<void>((end) => turn.resolve(end));
  limiter.schedule({ priority }, task).catch(turn.reject).finally(onEnd);
  try {
    return await runCancellable(signals, null, () => turn.promise);
  } catch (error) {
    void turn.promise.then((end) => end()); // bottleneck cannot remove a call, so its turn ends as soon as it starts
    throw error;
  }
}

/**
 * Replaces two parts of bottleneck. In each step, it waits for a timer of one millisecond: the next turn of the event
 * loop doubles the number of calls per second. It also stores the time of the next call, although these limiters set no
 * pause between calls: after the system clock was set back, calls would wait until the clock has caught up.
 */
function adjust(limiter: Bottleneck): Bottleneck {
  const { _store: store } = limiter as unknown as { readonly _store: object };
  Object.assign(store, { yieldLoop: () => new Promise<void>((resolve) => setImmediate(resolve)) });
  Object.defineProperty(store, "_nextRequest", { get: () => 0, set() {} });
  return limiter;
}
