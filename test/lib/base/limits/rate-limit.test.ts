import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Fault } from "#lib/base/errors.ts";
import { createRateLimit, type RateLimitOptions } from "#lib/base/limits/rate-limit.ts";

const test = suite("createRateLimit");

function open(options: RateLimitOptions = {}) {
  const clock = { now: 1000 };
  const bucket = createRateLimit({ ...options, now: () => clock.now });
  /** Returns null if the attempt was allowed, otherwise the seconds to wait. */
  const take = (address: string): number | null => {
    try {
      bucket.countAttempt(address, "too many tries");
      return null;
    } catch (error) {
      if (!(error instanceof Fault) || error.kind !== "limited") throw error;
      assert.is(error.message, "too many tries");
      return error.retryAfter ?? -1;
    }
  };
  const times = (count: number, address: string) => Array.from({ length: count }, () => take(address));
  return { clock, take, times };
}

test("allows five attempts a minute, and returns when the sixth is allowed", () => {
  const { clock, take, times } = open();
  assert.equal(times(5, "203.0.113.7"), [null, null, null, null, null]);
  clock.now += 20_000;
  assert.is(take("203.0.113.7"), 40);
  clock.now += 39_999;
  assert.ok(take("203.0.113.7") !== null);
  clock.now += 1;
  assert.is(take("203.0.113.7"), null);
});

test("never allows more than five attempts in any 60 seconds", () => {
  const { clock, take, times } = open();
  take("203.0.113.7");
  clock.now += 50_000;
  assert.equal(times(4, "203.0.113.7"), [null, null, null, null]);
  clock.now += 10_000;
  assert.is(take("203.0.113.7"), null);
  assert.is(take("203.0.113.7"), 50);
});

test("does not count refused attempts", () => {
  const { clock, take, times } = open();
  times(5, "203.0.113.7");
  clock.now += 30_000;
  times(20, "203.0.113.7");
  clock.now += 30_000;
  assert.is(take("203.0.113.7"), null);
});

test("counts an IPv6 /64 as one caller, and each IPv4 address separately", () => {
  const { take, times } = open();
  times(5, "2001:db8:1:2::1");
  assert.ok(take("2001:db8:1:2:ffff::9") !== null);
  assert.is(take("2001:db8:1:3::1"), null);
  times(5, "203.0.113.7");
  assert.is(take("203.0.113.8"), null);
});

test("allows ten attempts a minute per /56 and thirty per /48", () => {
  const { clock, take } = open();
  const attempts = (count: number, address: (i: number) => string) =>
    Array.from({ length: count }, (_, i) => take(address(i))).filter((wait) => wait === null).length;
  assert.is(attempts(256, (i) => `2001:db8:1:${i.toString(16)}::1`), 10);
  assert.is(attempts(255, (i) => `2001:db8:1:${(i + 1).toString(16)}00::1`), 20);
  assert.is(take("2001:db8:1:ffff::1"), 60);
  assert.is(take("2001:db8:2:ffff::1"), null);
  clock.now += 60_000;
  assert.is(take("2001:db8:1:ffff::1"), null);
});

test("does not count a refused attempt for the wider networks", () => {
  const { take, times } = open();
  times(100, "2001:db8:1:1::1");
  for (let i = 2; i < 256; i++) times(9, `2001:db8:1:${i.toString(16)}::1`);
  assert.equal(times(5, "2001:db8:1:100::1"), [null, null, null, null, null]);
  assert.equal(times(5, "2001:db8:1:200::1"), [null, null, null, null, null]);
  assert.is(take("2001:db8:1:300::1"), null);
});

test("returns the longest wait of all limits", () => {
  const { clock, take, times } = open();
  times(5, "2001:db8:1:1::1");
  clock.now += 10_000;
  times(5, "2001:db8:1:2::1");
  assert.is(take("2001:db8:1:1::1"), 50);
  assert.is(take("2001:db8:1:2::1"), 60);
  assert.is(take("2001:db8:1:3::1"), 50);
});

test("keeps networks at the limit when many others come", () => {
  const { take, times } = open({ capacity: 10 });
  times(5, "203.0.113.7");
  for (let i = 0; i < 100; i++) take(`198.51.100.${i}`);
  assert.ok(take("203.0.113.7") !== null);
});

test("bounds its memory: if all are at the limit, the least recent is evicted", () => {
  const { clock, take, times } = open({ capacity: 3 });
  for (let i = 0; i < 4; i++) {
    times(5, `198.51.100.${i}`);
    clock.now += 1;
  }
  assert.ok(take("198.51.100.1") !== null);
  assert.is(take("198.51.100.0"), null);
});

test.run();
