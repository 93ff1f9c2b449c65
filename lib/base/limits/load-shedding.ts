/**
 * Refuses work that would only make everything late. A quick 503 lets callers back off, and lets what was accepted end
 * in time.
 *
 * A request is refused when its room is full or when its caller has a share of the room already. While the event loop is
 * late and more than a few requests are in flight, the caller with the most in flight is refused, and all others are let
 * in: the one who causes the load pays for it. A late clock alone says nothing of the work, since a busy machine or a
 * process that was stopped for a while makes it late, too. People who sign in have a room of their own, so that programs
 * cannot keep them out. Probes need none. Creations of spokes wait in queues (http/creations.ts), and only the
 * memory that they take is bounded.
 *
 * The delay is measured by a timer's lateness: Deno's monitorEventLoopDelay stays near zero whatever happens.
 */
import { setInterval } from "node:timers";
import { Fault } from "#lib/base/errors.ts";
import { type MeasurementLabels, NO_TELEMETRY, type Telemetry } from "#lib/base/telemetry.ts";
import { SECOND } from "#lib/base/time.ts";

export type LoadPool = "general" | "people" | "creations" | "probes";

/** A request's place in its room. All may be called again, and then do nothing. */
export interface LoadSlot {
  /** Sets the size of the request's body, before it enters. Only the room of creations counts bytes. */
  setBodySize(bytes: number): void;
  /** Counts the request in. Throws Fault unavailable `overloaded`. */
  enter(): void;
  /** Counts it as this caller's, who has a part of the room at most. Throws Fault unavailable `overloaded`. */
  assignTo(caller: string): void;
  release(): void;
  /** Whether it counts as anybody's. */
  readonly isAssigned: boolean;
}

interface LoadShedder {
  openSlot(pool: LoadPool): LoadSlot;
  /** Requests in the two rooms that count requests. */
  inFlight(): number;
  close(): void;
}

export interface LoadShedderOptions {
  readonly maxInFlight: number;
  readonly telemetry?: Telemetry;
  readonly now?: () => number;
  /** Calls `tick` about every so many milliseconds, until what it returns is called. */
  readonly every?: (ms: number, tick: () => void) => () => void;
}

type Reason = MeasurementLabels["shed"]["reason"];

const CHECK_INTERVAL = 100; // ms between two looks at the clock
const MAX_DELAY = 500; // ms that one look may be late
const LATE_AFTER = SECOND; // how long looks may be late until requests are refused
const ALWAYS_ADMITTED = 8; // requests that are let in however late the clock is
const CALLER_FRACTION = 4; // a caller has one part in so many
const SIGN_IN_REQUESTS = 128; // who sign in: twice those who may wait for their turn at an account (attempts.ts)
const CREATION_BYTES = 128 * 2 ** 20; // bytes of all creations that wait
const REQUEST_OVERHEAD = 32 * 2 ** 10; // bytes of a waiting request without its body: socket, headers, and what is made of them

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
    openSlot: (room) => room === "probes" ? UNLIMITED_SLOT : pools[room].openSlot(),
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
  /** Requests, or bytes where an overhead is given. */
  readonly size: number;
  /** The largest part of `size` that one caller may have. */
  readonly share: number;
  /** Bytes that a request takes besides its body. Each request counts as 1 when absent. */
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

  /** Whether nobody else has more in flight. A caller without any is never the heaviest. */
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
          throw shed("share", "You have too many requests in progress; wait until some of them end");
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
  timer.unref(); // it watches the work, and is no work
  return () => clearInterval(timer);
}
