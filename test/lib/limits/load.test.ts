import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Fault } from "#lib/errors.ts";
import { openLoad } from "#lib/limits/load.ts";

const test = suite("openLoad");

function open(maxInFlight: number) {
  const clock = { now: 0, tick: () => {}, stopped: false };
  const load = openLoad({
    maxInFlight,
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
  const isRefused = () => {
    try {
      load.enter()();
      return false;
    } catch (error) {
      assert.ok(error instanceof Fault && error.kind === "unavailable" && (error.retryAfter ?? 0) >= 1);
      return true;
    }
  };
  return { load, clock, look, isRefused };
}

test("refuses what is over the number in flight, until one leaves", () => {
  const { load, isRefused } = open(2);
  const leave = load.enter();
  load.enter();
  assert.is(isRefused(), true);
  leave();
  leave(); // leaving twice makes room for one
  load.enter();
  assert.is(isRefused(), true);
});

test("refuses while the event loop is over 500 ms late for a second, and no longer", () => {
  const { look, isRefused } = open(10);
  look(100);
  look(700);
  assert.is(isRefused(), false, "one long turn is not yet a second");
  look(700);
  assert.is(isRefused(), true);
  look(100);
  assert.is(isRefused(), false);
});

test("bears turns that are late by less", () => {
  const { look, isRefused } = open(10);
  for (let i = 0; i < 10; i++) look(590);
  assert.is(isRefused(), false);
});

test("stops watching when closed", () => {
  const { load, clock } = open(1);
  load.close();
  assert.is(clock.stopped, true);
});

test.run();
