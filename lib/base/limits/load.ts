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
import { NO_TELEMETRY, type NoteLabels, type Telemetry } from "#lib/base/telemetry.ts";
import { SECOND } from "#lib/base/time.ts";

export type Room = "general" | "people" | "creations" | "probes";

/** A request's place in its room. All may be called again, and then do nothing. */
export interface RoomPlace {
  /** Sets the size of the request's body, before it enters. Only the room of creations counts bytes. */
  weigh(bytes: number): void;
  /** Counts the request in. Throws Fault unavailable `overloaded`. */
  enter(): void;
  /** Counts it as this caller's, who has a part of the room at most. Throws Fault unavailable `overloaded`. */
  claim(caller: string): void;
  leave(): void;
  /** Whether it counts as anybody's. */
  readonly claimed: boolean;
}

interface Load {
  place(room: Room): RoomPlace;
  /** Requests in the two rooms that count requests. */
  inFlight(): number;
  close(): void;
}

export interface LoadOptions {
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
const WAITING = 128 * 2 ** 20; // bytes of all creations that wait
const OVERHEAD = 32 * 2 ** 10; // bytes of a waiting request without its body: socket, headers, and what is made of them

const OVERLOADED = "The server has more to do than it can; try again, waiting longer each time";

const OPEN: RoomPlace = { weigh() {}, enter() {}, claim() {}, leave() {}, claimed: true };

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
  const isLate = () => late, never = () => false;
  const shed = (reason: Reason, message: string) => {
    telemetry.note("shed", { reason });
    return new Fault("unavailable", "overloaded", message, { retryAfter: 1 + Math.random() * 2 });
  };
  const rooms: Readonly<Record<Exclude<Room, "probes">, OpenRoom>> = {
    general: openRoom({ size: maxInFlight, share: shareOf(maxInFlight), isLate, shed }),
    people: openRoom({ size: PEOPLE, share: shareOf(PEOPLE), isLate, shed }),
    creations: openRoom({ size: WAITING, share: WAITING / 2, overhead: OVERHEAD, isLate: never, shed }),
  };
  return {
    place: (room) => room === "probes" ? OPEN : rooms[room].place(),
    inFlight: () => rooms.people.inside() + rooms.general.inside(),
    close: stop,
  };
}

function shareOf(size: number): number {
  return Math.max(Math.min(FEW, size), Math.floor(size / SHARE));
}

interface OpenRoom {
  place(): RoomPlace;
  inside(): number;
}

interface RoomOptions {
  /** Requests, or bytes where an overhead is given. */
  readonly size: number;
  /** The largest part of `size` that one caller may have. */
  readonly share: number;
  /** Bytes that a request takes besides its body. Each request counts as 1 when absent. */
  readonly overhead?: number;
  readonly isLate: () => boolean;
  readonly shed: (reason: Reason, message: string) => Fault;
}

function openRoom({ size, share, overhead, isLate, shed }: RoomOptions): OpenRoom {
  const callers = new Map<string, number>();
  let inside = 0;

  function count(caller: string, by: number): void {
    const present = (callers.get(caller) ?? 0) + by;
    if (present > 0) callers.set(caller, present);
    else callers.delete(caller);
  }

  /** Whether nobody else has more in flight. A caller without any is never the heaviest. */
  function isHeaviest(own: number): boolean {
    return own > 0 && [...callers.values()].every((others) => others <= own);
  }

  function place(): RoomPlace {
    let state: "before" | "in" | "out" = "before", claimed: string | null = null, weight = overhead ?? 1;
    return {
      get claimed() {
        return claimed !== null;
      },
      weigh(bytes) {
        if (state === "before" && overhead !== undefined) weight = overhead + bytes;
      },
      enter() {
        if (state !== "before") return;
        if (inside + weight > size) throw shed("full", OVERLOADED);
        inside += weight;
        state = "in";
      },
      claim(caller) {
        if (state !== "in" || claimed === caller) return;
        const own = callers.get(caller) ?? 0;
        if (own + weight > share) {
          throw shed("share", "You have as much under way at once as one caller may; wait until some of it has ended");
        }
        if (isLate() && inside > FEW && isHeaviest(own)) throw shed("late", OVERLOADED);
        if (claimed !== null) count(claimed, -weight);
        count(claimed = caller, weight);
      },
      leave() {
        if (state === "in") {
          inside -= weight;
          if (claimed !== null) count(claimed, -weight);
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
