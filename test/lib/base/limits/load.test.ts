import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Fault } from "#lib/base/errors.ts";
import { listenIn } from "#test/support/listener.ts";
import { openLoad, type Room, type RoomPlace } from "#lib/base/limits/load.ts";

const test = suite("openLoad");

function open(maxInFlight: number) {
  const clock = { now: 0, tick: () => {}, stopped: false };
  const heard = listenIn(),
    load = openLoad({
      maxInFlight,
      telemetry: heard.telemetry,
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
  const enter = (room: Room = "general"): RoomPlace => {
    const place = load.place(room);
    place.enter();
    return place;
  };
  return { load, heard, clock, look, enter, isShed: (room?: Room) => isRefused(() => enter(room).leave()) };
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

test("refuses what is over the number in flight, until one leaves", () => {
  const { enter, isShed } = open(2);
  const first = enter();
  enter();
  assert.is(isShed(), true);
  first.leave();
  first.leave(); // leaving twice makes room for one
  enter();
  assert.is(isShed(), true);
});

test("tells how many are in, why it refuses, and how late the clock is", () => {
  const { load, enter, look, heard, isShed } = open(9);
  const places = Array.from({ length: 9 }, () => enter());
  enter("probes");
  enter("people").leave();
  assert.is(load.inFlight(), 9);
  assert.is(isShed(), true);
  for (const place of places.slice(0, 8)) place.claim("ada");
  assert.ok(isRefused(() => places[8]!.claim("ada")));
  places[8]!.leave();
  assert.is(load.inFlight(), 8);
  for (let i = 0; i < 3; i++) look(1100);
  assert.is(isShed(), true);
  assert.equal(heard.notes.filter(({ kind }) => kind === "shed").map(({ labels }) => labels), [
    { reason: "full" },
    { reason: "share" },
    { reason: "late" },
  ]);
  const delays = heard.notes.filter(({ kind }) => kind === "event_loop").map(({ seconds }) => seconds);
  assert.equal(delays, [1, 1, 1]);
});

test("lets nobody in who has left before it was in", () => {
  const { load, isShed } = open(1);
  const place = load.place("general");
  place.leave();
  place.enter();
  assert.is(isShed(), false);
});

test("gives one caller a quarter, and others the rest", () => {
  const { enter } = open(64);
  const places = Array.from({ length: 16 }, () => enter());
  for (const place of places) place.claim("ada");
  for (const place of places) place.claim("ada"); // a claim counts once
  const more = enter();
  assert.is(isRefused(() => more.claim("ada")), true);
  more.claim("ben");
  places[0]!.leave();
  enter().claim("ada");
  assert.is(isRefused(() => enter().claim("ada")), true);
});

test("gives a caller a few at least, however small the server is", () => {
  const { enter } = open(10);
  for (let i = 0; i < 8; i++) enter().claim("ada");
  assert.is(isRefused(() => enter().claim("ada")), true);
});

test("counts a request for the last who claimed it", () => {
  const { enter } = open(32);
  for (let i = 0; i < 8; i++) {
    const place = enter();
    place.claim("192.0.2.1");
    place.claim("ada");
  }
  enter().claim("192.0.2.1");
  assert.is(isRefused(() => enter().claim("ada")), true);
});

test("keeps a room for people who sign in, and lets probes in always", () => {
  const { enter, isShed, look } = open(1);
  enter();
  assert.is(isShed(), true);
  for (let i = 0; i < 200; i++) assert.is(isShed("people"), false, "they left at once");
  for (let i = 0; i < 128; i++) enter("people");
  assert.is(isShed("people"), true);
  for (let i = 0; i < 3; i++) look(2000);
  for (let i = 0; i < 100; i++) enter("probes");
});

test("refuses while the event loop is over 500 ms late for a second and more than a few are in, and no longer", () => {
  const { look, enter, isShed } = open(100);
  for (let i = 0; i < 8; i++) enter();
  look(100);
  look(700);
  assert.is(isShed(), false, "one long turn is not yet a second");
  look(700);
  assert.is(isShed(), true);
  look(100);
  assert.is(isShed(), false);
});

test("lets a few in however late the event loop is", () => {
  const { look, enter, isShed } = open(100);
  for (let i = 0; i < 10; i++) look(5000);
  for (let i = 0; i < 8; i++) enter();
  assert.is(isShed(), true);
});

test("bears turns that are late by less", () => {
  const { look, enter, isShed } = open(100);
  for (let i = 0; i < 8; i++) enter();
  for (let i = 0; i < 10; i++) look(590);
  assert.is(isShed(), false);
});

test("stops watching when closed", () => {
  const { load, clock } = open(1);
  load.close();
  assert.is(clock.stopped, true);
});

test.run();
