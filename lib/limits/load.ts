/**
 * Refuses work that would only make everything late: over so many requests in flight, or while the event loop is over
 * 500 ms behind for a second. A quick 503 lets callers back off, and lets what was accepted end in time.
 *
 * The delay is measured by a timer's lateness: Deno's monitorEventLoopDelay stays near zero whatever happens.
 */
import { setInterval } from "node:timers";
import { Fault } from "#lib/errors.ts";
import { SECOND } from "#lib/time.ts";

export interface Load {
  /** Counts a request in; returns what counts it out. Throws Fault unavailable. */
  enter(): () => void;
  close(): void;
}

export interface LoadOptions {
  readonly maxInFlight: number;
  readonly now?: () => number;
  /** Calls `tick` about every so many milliseconds, until what it returns is called. */
  readonly every?: (ms: number, tick: () => void) => () => void;
}

const LOOK = 100; // ms between two looks at the clock
const LATE = 500; // ms that one look may be late
const PATIENCE = SECOND; // how long looks may be late until requests are refused

export function openLoad({ maxInFlight, now = () => performance.now(), every = repeat }: LoadOptions): Load {
  let inFlight = 0, last = now(), lateSince: number | null = null, overloaded = false;
  const stop = every(LOOK, () => {
    const at = now(), late = at - last - LOOK > LATE;
    lateSince = late ? lateSince ?? last : null;
    overloaded = lateSince !== null && at - lateSince >= PATIENCE;
    last = at;
  });
  return {
    enter() {
      if (inFlight >= maxInFlight || overloaded) {
        const message = "The server has more to do than it can; try again, waiting longer each time";
        throw new Fault("unavailable", "overloaded", message, { retryAfter: 1 + Math.random() * 2 });
      }
      inFlight++;
      let left = false;
      return () => {
        if (!left) inFlight--;
        left = true;
      };
    },
    close: stop,
  };
}

function repeat(ms: number, tick: () => void): () => void {
  const timer = setInterval(tick, ms);
  timer.unref(); // it watches the work, and is none
  return () => clearInterval(timer);
}
