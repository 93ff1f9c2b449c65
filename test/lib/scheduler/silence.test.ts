import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ReplicaLease } from "#lib/scheduler/replica.ts";
import { createSilenceDetector, HEARTBEAT_SILENCE_LIMIT } from "#lib/scheduler/silence.ts";

const test = suite<{ now: { ms: number } }>("createSilenceDetector");
const clock = performance.now;

test.before.each((context) => {
  const now = context.now = { ms: 1_000_000 };
  performance.now = () => now.ms;
});
test.after.each(() => void (performance.now = clock));

const tenure = (): ReplicaLease => ({ signal: new AbortController().signal, throwIfLapsed() {} });

test("reports a replica as silent after four seconds with the same heartbeat", ({ now }) => {
  const listener = createSilenceDetector(), mine = tenure(), beats = [{ id: "dead", version: "7" }];
  assert.equal(listener.findSilent(mine, beats, now.ms), []);
  now.ms += HEARTBEAT_SILENCE_LIMIT - 1;
  assert.equal(listener.findSilent(mine, beats, now.ms), []);
  assert.is(listener.nextSilenceIn(), 1);
  now.ms += 1;
  assert.equal(listener.findSilent(mine, beats, now.ms), beats);
  assert.is(listener.nextSilenceIn(), null);
});

test("restarts the count at each heartbeat, and ignores the duration of the query", ({ now }) => {
  const listener = createSilenceDetector(), mine = tenure();
  listener.findSilent(mine, [{ id: "slow", version: "7" }], now.ms);
  now.ms += HEARTBEAT_SILENCE_LIMIT;
  assert.equal(listener.findSilent(mine, [{ id: "slow", version: "8" }], now.ms), []);
  now.ms += HEARTBEAT_SILENCE_LIMIT;
  assert.equal(listener.findSilent(mine, [{ id: "slow", version: "8" }], now.ms - 1), []);
});

test("restarts the count after this replica's own lease ended", ({ now }) => {
  const listener = createSilenceDetector(), beats = [{ id: "other", version: "7" }];
  listener.findSilent(tenure(), beats, now.ms);
  now.ms += HEARTBEAT_SILENCE_LIMIT;
  assert.equal(listener.findSilent(tenure(), beats, now.ms), []);
});

test.run();
