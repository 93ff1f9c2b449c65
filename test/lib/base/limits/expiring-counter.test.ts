import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createExpiringCounter } from "#lib/base/limits/expiring-counter.ts";

const test = suite("createExpiringCounter");

function open(capacity = 100) {
  const clock = { now: 1000 };
  return { clock, ...createExpiringCounter({ span: 1000, capacity, now: () => clock.now }) };
}

test("counts a key for one to two spans", () => {
  const { clock, add, count } = open();
  add("a");
  clock.now += 999;
  add("a");
  assert.equal([count("a"), count("b")], [2, 0]);
  clock.now += 500;
  assert.is(count("a"), 2);
  add("b");
  clock.now += 1000;
  assert.equal([count("a"), count("b")], [0, 1]);
  add("c");
  clock.now += 5000;
  assert.is(count("c"), 0);
});

test("forgets a key on request", () => {
  const { clock, add, count, forget } = open();
  add("a");
  clock.now += 1000;
  add("a");
  assert.is(count("a"), 2);
  forget("a");
  assert.is(count("a"), 0);
});

test("bounds the number of keys by ending a span early", () => {
  const { add, count } = open(10);
  add("first");
  for (let i = 0; i < 9; i++) add(`a${i}`);
  assert.is(count("first"), 1);
  for (let i = 0; i < 11; i++) add(`b${i}`);
  assert.is(count("first"), 0);
});

test.run();
