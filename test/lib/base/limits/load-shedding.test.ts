import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Fault } from "#lib/base/errors.ts";
import { recordTelemetry } from "#test/support/recorded-telemetry.ts";
import { type LoadPool, type LoadSlot, openLoadShedder } from "#lib/base/limits/load-shedding.ts";

const test = suite("openLoadShedder");

function open(maxInFlight: number) {
  const clock = { now: 0, tick: () => {}, stopped: false };
  const recording = recordTelemetry(),
    load = openLoadShedder({
      maxInFlight,
      telemetry: recording.telemetry,
      now: () => clock.now,
      every: (_, tick) => {
        clock.tick = tick;
        return () => clock.stopped = true;
      },
    });
  const look = (after: number) => {
    clock.now += after;
    clock.tick();
  };
  const enter = (room: LoadPool = "general"): LoadSlot => {
    const place = load.openSlot(room);
    place.enter();
    return place;
  };
  const beLate = () => [1, 2, 3].forEach(() => look(1100));
  /** Adds a request of this caller. Returns whether it was accepted. */
  const takes = (caller: string, room?: LoadPool) => !isRefused(() => enter(room).assignTo(caller));
  return {
    load,
    heard: recording,
    clock,
    look,
    beLate,
    enter,
    takes,
    isShed: (room?: LoadPool) => isRefused(() => enter(room).release()),
  };
}

function isRefused(work: () => void): boolean {
  try {
    work();
    return false;
  } catch (error) {
    assert.ok(error instanceof Fault && error.code === "overloaded" && (error.retryAfter ?? 0) >= 1);
    return true;
  }
}

test("refuses requests above the limit until one is released", () => {
  const { enter, isShed } = open(2);
  const first = enter();
  enter();
  assert.is(isShed(), true);
  first.release();
  first.release(); // a second release has no effect
  enter();
  assert.is(isShed(), true);
});

test("reports requests in flight, the reason of a refusal and the event loop delay", () => {
  const { load, enter, beLate, heard: recording, isShed } = open(9);
  const places = Array.from({ length: 9 }, () => enter());
  enter("probes");
  enter("people").release();
  assert.is(load.inFlight(), 9);
  assert.is(isShed(), true);
  for (const place of places.slice(0, 8)) place.assignTo("ada");
  assert.ok(isRefused(() => places[8]!.assignTo("ada")));
  places[0]!.release();
  assert.is(load.inFlight(), 8);
  beLate();
  const late = enter();
  assert.ok(isRefused(() => late.assignTo("ada")));
  assert.equal(recording.notes.filter(({ kind }) => kind === "shed").map(({ labels }) => labels), [
    { reason: "full" },
    { reason: "share" },
    { reason: "late" },
  ]);
  const delays = recording.notes.filter(({ kind }) => kind === "event_loop").map(({ seconds }) => seconds);
  assert.equal(delays, [1, 1, 1]);
});

test("ignores enter after release", () => {
  const { load, isShed } = open(1);
  const place = load.openSlot("general");
  place.release();
  place.enter();
  assert.is(isShed(), false);
});

test("limits one caller to a quarter of the pool", () => {
  const { enter } = open(64);
  const places = Array.from({ length: 16 }, () => enter());
  for (const place of places) place.assignTo("ada");
  for (const place of places) place.assignTo("ada"); // assigning again has no effect
  const more = enter();
  assert.is(isRefused(() => more.assignTo("ada")), true);
  more.assignTo("ben");
  places[0]!.release();
  enter().assignTo("ada");
  assert.is(isRefused(() => enter().assignTo("ada")), true);
});

test("allows each caller a minimum number of requests", () => {
  const { enter } = open(10);
  for (let i = 0; i < 8; i++) enter().assignTo("ada");
  assert.is(isRefused(() => enter().assignTo("ada")), true);
});

test("counts a request for the last assigned caller", () => {
  const { enter } = open(32);
  for (let i = 0; i < 8; i++) {
    const place = enter();
    place.assignTo("192.0.2.1");
    place.assignTo("ada");
  }
  enter().assignTo("192.0.2.1");
  assert.is(isRefused(() => enter().assignTo("ada")), true);
});

test("has a separate pool for sign-ins, and always accepts probes", () => {
  const { enter, isShed, look } = open(1);
  enter();
  assert.is(isShed(), true);
  for (let i = 0; i < 200; i++) assert.is(isShed("people"), false, "the requests ended immediately");
  for (let i = 0; i < 128; i++) enter("people");
  assert.is(isShed("people"), true);
  for (let i = 0; i < 3; i++) look(2000);
  for (let i = 0; i < 100; i++) enter("probes");
});

test("refuses requests while the event loop is 500 ms late for a second", () => {
  const { look, takes } = open(100);
  for (let i = 0; i < 8; i++) assert.is(takes("ada"), true);
  look(100);
  look(700);
  assert.is(takes("ada"), true, "the event loop was late for less than a second");
  look(700);
  assert.is(takes("ada"), false);
  look(100);
  assert.is(takes("ada"), true);
});

test("accepts a few requests however late the event loop is", () => {
  const { look, takes } = open(100);
  for (let i = 0; i < 10; i++) look(5000);
  for (let i = 0; i < 8; i++) assert.is(takes("ada"), true);
  assert.is(takes("ada"), false);
});

test("refuses only the heaviest caller while the event loop is late", () => {
  const { beLate, takes } = open(400);
  for (let i = 0; i < 50; i++) takes("heavy");
  for (let i = 0; i < 5; i++) takes("light");
  beLate();
  assert.is(takes("heavy"), false);
  for (let i = 0; i < 20; i++) assert.is(takes("light"), true);
  assert.is(takes("new"), true);
  assert.is(takes("heavy"), false);
});

test("accepts a caller again once another is heavier", () => {
  const { beLate, enter, takes } = open(400);
  const heavy = Array.from({ length: 20 }, () => enter());
  for (const place of heavy) place.assignTo("heavy");
  for (let i = 0; i < 10; i++) takes("light");
  beLate();
  assert.is(takes("heavy"), false);
  for (const place of heavy.slice(0, 11)) place.release();
  assert.is(takes("heavy"), true);
  assert.is(takes("heavy"), false, "the caller is as heavy as the other");
});

test("accepts a burst of many callers while the event loop is late", () => {
  const { beLate, enter, takes } = open(400);
  beLate();
  for (let i = 0; i < 200; i++) assert.is(takes(`usr_${i}`), true);
  assert.is(takes("usr_7"), false, "this would be the caller's second request");
  const burst = Array.from({ length: 100 }, () => enter()); // all arrive before their callers are known
  let taken = 0;
  for (const place of burst) {
    if (isRefused(() => place.assignTo("192.0.2.0"))) {
      place.release();
      continue;
    }
    place.release();
    taken++;
  }
  assert.is(taken, 100, "each request ended before the next");
});

test("limits creations by bytes only, not by number or delay", () => {
  const { beLate, enter, load, takes } = open(1);
  beLate();
  for (let i = 0; i < 1000; i++) assert.is(takes("ada", "creations"), true);
  assert.is(load.inFlight(), 0);
  const large = () => {
    const place = load.openSlot("creations");
    place.setBodySize(256 * 1024);
    place.enter();
    return place;
  };
  let bens = 0;
  while (!isRefused(() => large().assignTo("ben"))) bens++;
  assert.ok(bens > 200 && bens < 260, `one caller has half, not ${bens}`);
  let all = 0;
  while (!isRefused(() => large())) all++;
  assert.ok(all < 200, `128 MiB are full after ${all} more`);
  assert.is(isRefused(() => enter().release()), false, "other callers have their own share");
});

test("tolerates shorter delays", () => {
  const { look, takes } = open(100);
  for (let i = 0; i < 8; i++) takes("ada");
  for (let i = 0; i < 10; i++) look(590);
  assert.is(takes("ada"), true);
});

test("stops its timer when closed", () => {
  const { load, clock } = open(1);
  load.close();
  assert.is(clock.stopped, true);
});

test.run();
