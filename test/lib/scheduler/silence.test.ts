import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ReplicaLease } from "#lib/scheduler/replica.ts";
import { createSilenceDetector, SILENCE_LIMIT } from "#lib/scheduler/silence.ts";

const test = suite<{ now: { ms: number } }>("openListener");
const clock = performance.now;

test.before.each((context) => {
  const now = context.now = { ms: 1_000_000 };
  performance.now = () => now.ms;
});
test.after.each(() => void (performance.now = clock));

const tenure = (): ReplicaLease => ({ signal: new AbortController().signal, throwIfLapsed() {} });

test("calls a replica silent after four seconds in which the same beat was read", ({ now }) => {
  const listener = createSilenceDetector(), mine = tenure(), beats = [{ id: "dead", version: "7" }];
  assert.equal(listener.findSilent(mine, beats, now.ms), []);
  now.ms += SILENCE_LIMIT - 1;
  assert.equal(listener.findSilent(mine, beats, now.ms), []);
  assert.is(listener.nextSilenceIn(), 1);
  now.ms += 1;
  assert.equal(listener.findSilent(mine, beats, now.ms), beats);
  assert.is(listener.nextSilenceIn(), null);
});

test("begins anew with each beat, and does not count the time that an answer took", ({ now }) => {
  const listener = createSilenceDetector(), mine = tenure();
  listener.findSilent(mine, [{ id: "slow", version: "7" }], now.ms);
  now.ms += SILENCE_LIMIT;
  assert.equal(listener.findSilent(mine, [{ id: "slow", version: "8" }], now.ms), []);
  now.ms += SILENCE_LIMIT;
  assert.equal(listener.findSilent(mine, [{ id: "slow", version: "8" }], now.ms - 1), []);
});

test("forgets what it heard before this replica itself could not beat", ({ now }) => {
  const listener = createSilenceDetector(), beats = [{ id: "other", version: "7" }];
  listener.findSilent(tenure(), beats, now.ms);
  now.ms += SILENCE_LIMIT;
  assert.equal(listener.findSilent(tenure(), beats, now.ms), []);
});

test.run();
