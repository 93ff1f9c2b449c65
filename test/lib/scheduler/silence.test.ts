import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Tenure } from "#lib/scheduler/replica.ts";
import { openListener, SILENCE } from "#lib/scheduler/silence.ts";

const test = suite<{ now: { ms: number } }>("openListener");
const clock = performance.now;

test.before.each((context) => {
  const now = context.now = { ms: 1_000_000 };
  performance.now = () => now.ms;
});
test.after.each(() => void (performance.now = clock));

const tenure = (): Tenure => ({ signal: new AbortController().signal, check() {} });

test("calls a replica silent after four seconds in which the same beat was read", ({ now }) => {
  const listener = openListener(), mine = tenure(), beats = [{ id: "dead", beat: "7" }];
  assert.equal(listener.hear(mine, beats, now.ms), []);
  now.ms += SILENCE - 1;
  assert.equal(listener.hear(mine, beats, now.ms), []);
  assert.is(listener.patience(), 1);
  now.ms += 1;
  assert.equal(listener.hear(mine, beats, now.ms), beats);
  assert.is(listener.patience(), null);
});

test("begins anew with each beat, and does not count the time that an answer took", ({ now }) => {
  const listener = openListener(), mine = tenure();
  listener.hear(mine, [{ id: "slow", beat: "7" }], now.ms);
  now.ms += SILENCE;
  assert.equal(listener.hear(mine, [{ id: "slow", beat: "8" }], now.ms), []);
  now.ms += SILENCE;
  assert.equal(listener.hear(mine, [{ id: "slow", beat: "8" }], now.ms - 1), []);
});

test("forgets what it heard before this replica itself could not beat", ({ now }) => {
  const listener = openListener(), beats = [{ id: "other", beat: "7" }];
  listener.hear(tenure(), beats, now.ms);
  now.ms += SILENCE;
  assert.equal(listener.hear(tenure(), beats, now.ms), []);
});

test.run();
