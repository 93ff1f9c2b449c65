/**
 * Limits calls: how many run at the same time, and how many start per second. While nobody has to wait, calls are only
 * counted. The package bottleneck orders the calls that have to wait; it takes half a millisecond of CPU time per call.
 * An aborted call stops waiting immediately. Each call runs in its own asynchronous context, so that logs and traces
 * name the right request.
 */
import Bottleneck from "bottleneck";
import { runCancellable } from "#lib/base/cancellation.ts";
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
/** Bottleneck's priorities: a lower number is served first. */
const RETRY_PRIORITY = 4, DEFAULT_PRIORITY = 5;

export function createCallLimiter(limits: CallLimits): CallLimiter {
  const slots = createSlots(limits);
  return {
    async run(signals, work) {
      for (const signal of signals) signal.throwIfAborted();
      await slots.enter(signals, DEFAULT_PRIORITY);
      try {
        return await work();
      } finally {
        slots.leave();
      }
    },
    close: slots.close,
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
  const turns = createSlots({ concurrency }), keys = new Map<string, { readonly slots: Slots; calls: number }>();

  return {
    async enter(key, { signal, isRetry = false } = {}) {
      signal?.throwIfAborted();
      const own = keys.get(key) ?? { slots: createSlots({ concurrency: perKey }), calls: 0 };
      const signals = signal ? [signal] : [], priority = isRetry ? RETRY_PRIORITY : DEFAULT_PRIORITY;
      keys.set(key, own);
      own.calls++;
      let isInside = false;
      const leave = () => {
        if (isInside) own.slots.leave();
        if (--own.calls === 0) keys.delete(key);
      };
      try {
        await own.slots.enter(signals, priority);
        isInside = true;
        await turns.enter(signals, priority);
      } catch (error) {
        leave();
        throw error;
      }
      return () => {
        turns.leave();
        leave();
      };
    },
    keys: () => [...keys.keys()],
  };
}

/** The slots of the calls that run. A call that enters must leave. */
interface Slots {
  /** Takes a slot, or waits for one. Rejects without taking a slot if a signal aborts first. */
  enter(signals: readonly AbortSignal[], priority: number): Promise<void>;
  leave(): void;
  /** Stops the timer. */
  close(): void;
}

function createSlots({ concurrency, rate }: CallLimits): Slots {
  // Created when a call has to wait, because creating it takes longer than most calls' statements.
  let queue: Bottleneck | undefined;
  let running = 0, allowed = rate?.burst ?? Infinity, waiting = 0, passed = 0, timer: NodeJS.Timeout | undefined;

  function take(): boolean {
    if (running >= concurrency || allowed <= 0) return false;
    running++;
    allowed--;
    if (rate) increaseLater(rate);
    return true;
  }

  /** Increases the number of allowed calls at intervals, until it has its maximum again. */
  function increaseLater({ perSecond, burst }: CallRate): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      allowed = Math.min(burst, allowed + Math.ceil(perSecond * INCREASE_INTERVAL / SECOND));
      if (allowed < burst) increaseLater({ perSecond, burst });
      passOn();
    }, INCREASE_INTERVAL).unref(); // lets the process exit
  }

  /** Starts bottleneck. Each slot that is passed on increases its reservoir by one, so that one waiting call starts. */
  function openQueue(): Bottleneck {
    return queue ??= adjust(new Bottleneck({ reservoir: 0 }));
  }

  /** Takes free slots for waiting calls, once bottleneck has sorted all of them into its queue, which takes a moment. */
  function passOn(): void {
    if (waiting <= passed || running >= concurrency || allowed <= 0) return;
    if (openQueue().queued() < waiting) return void setImmediate(passOn);
    if (!take()) return;
    passed++;
    void openQueue().incrementReservoir(1).then(passOn);
  }

  function leave(): void {
    running--;
    passOn();
  }

  return {
    async enter(signals, priority) {
      if (waiting === 0 && take()) return;
      waiting++;
      const turn = openQueue().schedule({ priority }, () => {
        waiting--;
        passed--;
        passOn();
        return Promise.resolve();
      });
      try {
        await runCancellable(signals, null, () => turn);
      } catch (error) {
        void turn.then(leave); // bottleneck cannot remove a call, so it leaves as soon as it gets its slot
        throw error;
      }
    },
    leave,
    close: () => clearTimeout(timer),
  };
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
