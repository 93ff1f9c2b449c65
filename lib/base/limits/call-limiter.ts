/**
 * Limits calls: how many run at the same time, and how many start per second. Calls wait in order of arrival. A call
 * that need not wait starts immediately. An aborted call stops waiting immediately.
 */
import { SECOND } from "#lib/base/time.ts";

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

export function createCallLimiter({ concurrency, rate }: CallLimits): CallLimiter {
  let running = 0, allowed = rate?.burst ?? Infinity, timer: NodeJS.Timeout | undefined;
  const waiting: Call[] = [];

  function startCalls(): void {
    while (running < concurrency && allowed > 0 && waiting.length > 0) {
      running++;
      allowed--;
      waiting.shift()!.start();
    }
    if (rate && allowed < rate.burst) increaseLater(rate);
  }

  /** Increases the number of allowed calls at intervals, until it has its maximum again. */
  function increaseLater({ perSecond, burst }: CallRate): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      allowed = Math.min(burst, allowed + Math.ceil(perSecond * INCREASE_INTERVAL / SECOND));
      startCalls();
    }, INCREASE_INTERVAL).unref(); // lets the process exit
  }

  return {
    async run(signals, work) {
      await waitForTurn(signals, (call) => {
        waiting.push(call);
        startCalls();
      }, (call) => remove(waiting, call));
      try {
        return await work();
      } finally {
        running--;
        startCalls();
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
  /** The calls that may start as soon as fewer than `concurrency` calls run: at most `perKey` of each key. */
  const next: KeyedCall[] = [];
  /** For each key, its waiting calls, and how many of its calls run or are in `next`. */
  const keys = new Map<string, { readonly waiting: KeyedCall[]; competing: number }>();
  let running = 0;

  function enqueue(queue: KeyedCall[], call: KeyedCall): void {
    const at = call.isRetry ? queue.findIndex(({ isRetry }) => !isRetry) : -1;
    if (at < 0) queue.push(call);
    else queue.splice(at, 0, call);
  }

  function startCalls(key: string): void {
    const own = keys.get(key)!;
    while (own.competing < perKey && own.waiting.length > 0) {
      own.competing++;
      enqueue(next, own.waiting.shift()!);
    }
    if (own.competing === 0) keys.delete(key);
    while (running < concurrency && next.length > 0) {
      running++;
      next.shift()!.start();
    }
  }

  return {
    async enter(key, { signal, isRetry = false } = {}) {
      await waitForTurn(signal ? [signal] : [], (call) => {
        if (!keys.has(key)) keys.set(key, { waiting: [], competing: 0 });
        enqueue(keys.get(key)!.waiting, Object.assign(call, { isRetry }));
        startCalls(key);
      }, (call) => {
        if (remove(next, call)) keys.get(key)!.competing--;
        else remove(keys.get(key)!.waiting, call);
        startCalls(key);
      });
      return () => {
        running--;
        keys.get(key)!.competing--;
        startCalls(key);
      };
    },
    keys: () => [...keys.keys()],
  };
}

interface Call {
  /** Lets the call run. The caller counts it as running from now on. */
  start(): void;
}

type KeyedCall = Call & { readonly isRetry: boolean };

/** Resolves when the call may run. If a signal aborts first, calls `leave` and rejects with the signal's reason. */
function waitForTurn(
  signals: readonly AbortSignal[],
  enter: (call: Call) => void,
  leave: (call: Call) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    for (const signal of signals) if (signal.aborted) return reject(signal.reason);
    let isStarted = false;
    const call = {
      start() {
        isStarted = true;
        for (const { signal, onAbort } of listeners) signal.removeEventListener("abort", onAbort);
        resolve();
      },
    };
    const listeners: { readonly signal: AbortSignal; readonly onAbort: () => void }[] = [];
    enter(call);
    if (isStarted) return;
    for (const signal of signals) {
      const onAbort = () => {
        for (const { signal, onAbort } of listeners) signal.removeEventListener("abort", onAbort);
        leave(call);
        reject(signal.reason);
      };
      listeners.push({ signal, onAbort });
      signal.addEventListener("abort", onAbort);
    }
  });
}

function remove(queue: Call[], call: Call): boolean {
  const at = queue.indexOf(call);
  if (at >= 0) queue.splice(at, 1);
  return at >= 0;
}
