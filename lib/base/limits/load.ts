/**
 * Refuses work that would only make everything late. A quick 503 lets callers back off, and lets what was accepted end
 * in time.
 *
 * A request is refused when its room is full, when its caller has a share of the room already, or while the event loop is
 * late and more than a few requests are under way: a late clock alone says nothing of the work, since a busy machine or a
 * process that was stopped for a while makes it late, too. People who sign in have a room of their own, so that programs
 * cannot keep them out; probes need none.
 *
 * The delay is measured by a timer's lateness: Deno's monitorEventLoopDelay stays near zero whatever happens.
 */
import { setInterval } from "node:timers";
import { Fault } from "#lib/base/errors.ts";
import { NO_TELEMETRY, type NoteLabels, type Telemetry } from "#lib/base/telemetry.ts";
import { SECOND } from "#lib/base/time.ts";

export type Room = "general" | "people" | "probes";

/** A request's place in its room. All three may be called again, and then do nothing. */
export interface RoomPlace {
  /** Counts the request in. Throws Fault unavailable `overloaded`. */
  enter(): void;
  /** Counts it as this caller's; a caller has a quarter of the room. Throws Fault unavailable `overloaded`. */
  claim(caller: string): void;
  leave(): void;
  /** Whether it counts as anybody's. */
  readonly claimed: boolean;
}

interface Load {
  place(room: Room): RoomPlace;
  /** Requests that count, in both rooms. */
  inFlight(): number;
  close(): void;
}

interface LoadOptions {
  readonly maxInFlight: number;
  readonly telemetry?: Telemetry;
  readonly now?: () => number;
  /** Calls `tick` about every so many milliseconds, until what it returns is called. */
  readonly every?: (ms: number, tick: () => void) => () => void;
}

type Reason = NoteLabels["shed"]["reason"];

const LOOK = 100; // ms between two looks at the clock
const LATE = 500; // ms that one look may be late
const PATIENCE = SECOND; // how long looks may be late until requests are refused
const FEW = 8; // requests that are let in however late the clock is
const SHARE = 4; // a caller has one part in so many
const PEOPLE = 128; // who sign in: twice those who may wait for their turn at an account (attempts.ts)

const OPEN: RoomPlace = { enter() {}, claim() {}, leave() {}, claimed: true };

export function openLoad(options: LoadOptions): Load {
  const { maxInFlight, telemetry = NO_TELEMETRY, now = () => performance.now(), every = repeat } = options;
  let last = now(), lateSince: number | null = null, late = false;
  const stop = every(LOOK, () => {
    const at = now(), delay = at - last - LOOK, missed = delay > LATE;
    telemetry.note("event_loop", {}, Math.max(0, delay) / SECOND);
    lateSince = missed ? lateSince ?? last : null;
    late = lateSince !== null && at - lateSince >= PATIENCE;
    last = at;
  });
  const isLate = () => late;
  const shed = (reason: Reason, message: string) => {
    telemetry.note("shed", { reason });
    return new Fault("unavailable", "overloaded", message, { retryAfter: 1 + Math.random() * 2 });
  };
  const general = openRoom(maxInFlight, isLate, shed);
  const people = openRoom(PEOPLE, isLate, shed);
  return {
    place: (room) => room === "probes" ? OPEN : (room === "people" ? people : general).place(),
    inFlight: () => people.inside() + general.inside(),
    close: stop,
  };
}

interface OpenRoom {
  place(): RoomPlace;
  inside(): number;
}

/** A room for so many requests. */
function openRoom(
  size: number,
  isLate: () => boolean,
  shed: (reason: Reason, message: string) => Fault,
): OpenRoom {
  const share = Math.max(Math.min(FEW, size), Math.floor(size / SHARE));
  const callers = new Map<string, number>();
  let inside = 0;

  function count(caller: string, by: 1 | -1): void {
    const present = (callers.get(caller) ?? 0) + by;
    if (present > 0) callers.set(caller, present);
    else callers.delete(caller);
  }

  function place(): RoomPlace {
    let state: "before" | "in" | "out" = "before", claimed: string | null = null;
    return {
      get claimed() {
        return claimed !== null;
      },
      enter() {
        if (state !== "before") return;
        if (inside >= size || isLate() && inside >= FEW) {
          throw shed(
            inside >= size ? "full" : "late",
            "The server has more to do than it can; try again, waiting longer each time",
          );
        }
        inside++;
        state = "in";
      },
      claim(caller) {
        if (state !== "in" || claimed === caller) return;
        if ((callers.get(caller) ?? 0) >= share) {
          throw shed("share", "You have as much under way at once as one caller may; wait until some of it has ended");
        }
        if (claimed !== null) count(claimed, -1);
        count(claimed = caller, 1);
      },
      leave() {
        if (state === "in") {
          inside--;
          if (claimed !== null) count(claimed, -1);
        }
        state = "out";
      },
    };
  }

  return { place, inside: () => inside };
}

function repeat(ms: number, tick: () => void): () => void {
  const timer = setInterval(tick, ms);
  timer.unref(); // it watches the work, and is no work
  return () => clearInterval(timer);
}
