/**
 * Refuses requests with 503 while the server is overloaded, so that accepted requests finish in time. A request is
 * refused if its pool is full, or if its caller already uses a quarter of the pool. While the event loop is late,
 * requests from the caller with the most requests in flight are refused, too. Sign-ins have their own pool, so that
 * programs cannot lock people out. Probes are always accepted. Requests that create spokes wait in queues
 * (http/creation-queue.ts); their pool only limits how much memory they use.
 */
import { setInterval } from "node:timers";
import { Fault } from "#lib/base/errors.ts";
import { type MeasurementLabels, NO_TELEMETRY, type Telemetry } from "#lib/base/telemetry.ts";
import { SECOND } from "#lib/base/time.ts";

export type LoadPool = "general" | "people" | "creations" | "probes";

/** A request's slot in its pool. Calling the same method again has no effect. */
export interface LoadSlot {
  /** Sets the size of the request's body. Must be called before `enter`. Only the creation pool counts bytes. */
  setBodySize(bytes: number): void;
  /** Counts the request as in flight. Throws an `unavailable` fault (`overloaded`) if the pool is full. */
  enter(): void;
  /** Attributes the request to a caller. Throws the fault `overloaded` if the caller has too many requests. */
  assignTo(caller: string): void;
  release(): void;
  /** Whether the request has been attributed to a caller. */
  readonly isAssigned: boolean;
}

interface LoadShedder {
  openSlot(pool: LoadPool): LoadSlot;
  /** Returns the number of requests in flight, excluding probes and requests that create spokes. */
  inFlight(): number;
  close(): void;
}

export interface LoadShedderOptions {
  readonly maxInFlight: number;
  readonly telemetry?: Telemetry;
  readonly now?: () => number;
  /** Calls `tick` about every `ms` milliseconds. Returns a function that stops the timer. */
  readonly every?: (ms: number, tick: () => void) => () => void;
}

type Reason = MeasurementLabels["shed"]["reason"];

const CHECK_INTERVAL = 100; // milliseconds between two checks of the clock
const MAX_DELAY = 500; // milliseconds by which a check may be late
const LATE_AFTER = SECOND; // milliseconds; requests are refused if checks are late for this long
const ALWAYS_ADMITTED = 8; // requests in flight that are accepted even if the event loop is late
const CALLER_FRACTION = 4; // a caller may use 1/4 of a pool
const SIGN_IN_REQUESTS = 128; // twice the number of waiting login attempts (login-attempts.ts)
const CREATION_BYTES = 128 * 2 ** 20; // bytes of memory for all waiting requests that create spokes
const REQUEST_OVERHEAD = 32 * 2 ** 10; // bytes of a waiting request without its body: socket and headers

const OVERLOADED = "The server is overloaded; retry with exponential backoff";

const UNLIMITED_SLOT: LoadSlot = { setBodySize() {}, enter() {}, assignTo() {}, release() {}, isAssigned: true };

export function openLoadShedder(options: LoadShedderOptions): LoadShedder {
  const { maxInFlight, telemetry = NO_TELEMETRY, now = () => performance.now(), every = repeat } = options;
  let last = now(), lateSince: number | null = null, late = false;
  const stop = every(CHECK_INTERVAL, () => {
    const at = now(), delay = at - last - CHECK_INTERVAL, missed = delay > MAX_DELAY;
    telemetry.record("event_loop", {}, Math.max(0, delay) / SECOND);
    lateSince = missed ? lateSince ?? last : null;
    late = lateSince !== null && at - lateSince >= LATE_AFTER;
    last = at;
  });
  const isLate = () => late, never = () => false;
  const shed = (reason: Reason, message: string) => {
    telemetry.record("shed", { reason });
    return new Fault("unavailable", "overloaded", message, { retryAfter: 1 + Math.random() * 2 });
  };
  const pools: Readonly<Record<Exclude<LoadPool, "probes">, Pool>> = {
    general: openPool({ size: maxInFlight, share: shareOf(maxInFlight), isLate, shed }),
    people: openPool({ size: SIGN_IN_REQUESTS, share: shareOf(SIGN_IN_REQUESTS), isLate, shed }),
    creations: openPool({
      size: CREATION_BYTES,
      share: CREATION_BYTES / 2,
      overhead: REQUEST_OVERHEAD,
      isLate: never,
      shed,
    }),
  };
  return {
    openSlot: (poolName) => poolName === "probes" ? UNLIMITED_SLOT : pools[poolName].openSlot(),
    inFlight: () => pools.people.inFlight() + pools.general.inFlight(),
    close: stop,
  };
}

function shareOf(size: number): number {
  return Math.max(Math.min(ALWAYS_ADMITTED, size), Math.floor(size / CALLER_FRACTION));
}

interface Pool {
  openSlot(): LoadSlot;
  inFlight(): number;
}

interface PoolOptions {
  /** The pool's capacity: in bytes if `overhead` is set, in requests otherwise. */
  readonly size: number;
  /** The part of `size` that a single caller may use. */
  readonly share: number;
  /** The bytes that a request uses in addition to its body. If absent, each request counts as 1. */
  readonly overhead?: number;
  readonly isLate: () => boolean;
  readonly shed: (reason: Reason, message: string) => Fault;
}

function openPool({ size, share, overhead, isLate, shed }: PoolOptions): Pool {
  const callers = new Map<string, number>();
  let used = 0;

  function count(caller: string, by: number): void {
    const present = (callers.get(caller) ?? 0) + by;
    if (present > 0) callers.set(caller, present);
    else callers.delete(caller);
  }

  /** Returns whether no other caller has more requests in flight than `own`. Always false if `own` is 0. */
  function isHeaviest(own: number): boolean {
    return own > 0 && [...callers.values()].every((others) => others <= own);
  }

  function openSlot(): LoadSlot {
    let state: "before" | "in" | "out" = "before", assigned: string | null = null, weight = overhead ?? 1;
    return {
      get isAssigned() {
        return assigned !== null;
      },
      setBodySize(bytes) {
        if (state === "before" && overhead !== undefined) weight = overhead + bytes;
      },
      enter() {
        if (state !== "before") return;
        if (used + weight > size) throw shed("full", OVERLOADED);
        used += weight;
        state = "in";
      },
      assignTo(caller) {
        if (state !== "in" || assigned === caller) return;
        const own = callers.get(caller) ?? 0;
        if (own + weight > share) {
          throw shed("share", "You have too many requests in progress; wait until some of them finish");
        }
        if (isLate() && used > ALWAYS_ADMITTED && isHeaviest(own)) throw shed("late", OVERLOADED);
        if (assigned !== null) count(assigned, -weight);
        count(assigned = caller, weight);
      },
      release() {
        if (state === "in") {
          used -= weight;
          if (assigned !== null) count(assigned, -weight);
        }
        state = "out";
      },
    };
  }

  return { openSlot, inFlight: () => used };
}

function repeat(ms: number, tick: () => void): () => void {
  const timer = setInterval(tick, ms);
  timer.unref(); // lets the process exit
  return () => clearInterval(timer);
}
