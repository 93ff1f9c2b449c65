import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  decideRolloutStep,
  HEALTH_LIMIT,
  type ObservedRolloutSpoke,
  type RolloutRules,
  type RolloutSpoke,
  settleSpoke,
} from "#lib/domains/rollouts/decide.ts";
import { assignWaves } from "#lib/domains/rollouts/waves.ts";
import { MINUTE } from "#lib/base/time.ts";

const test = suite("decisions about a rollout");
const NOW = new Date("2026-11-27T12:00:00Z"),
  minutesAgo = (minutes: number) => new Date(NOW.getTime() - minutes * MINUTE);
const RULES: RolloutRules = {
  state: "running",
  canaryMinutes: 10,
  maxUnavailable: 2,
  maxFailures: 2,
  timeWindow: null,
};

const spoke = (spokeId: string, wave: number | null, rest: Partial<RolloutSpoke> = {}): RolloutSpoke => (
  { spokeId, wave, cluster: "default", state: "waiting", operationId: null, endedAt: null, ...rest }
);
const done = (spokeId: string, wave: number, minutes = 60): RolloutSpoke =>
  spoke(spokeId, wave, { state: "succeeded", endedAt: minutesAgo(minutes) });
const observed = (rest: Partial<ObservedRolloutSpoke>): ObservedRolloutSpoke => ({
  ...spoke("a", 1),
  ...{ spokeState: "active", health: "healthy", observedAt: minutesAgo(0), operation: null, ...rest },
});
const settle = (rest: Partial<ObservedRolloutSpoke>) => settleSpoke(observed(rest), { canaryMinutes: 10, now: NOW });
const decide = (spokes: readonly RolloutSpoke[], rules: Partial<RolloutRules> = {}) =>
  decideRolloutStep({ ...RULES, ...rules }, spokes, NOW);

test("divides spokes into waves", () => {
  assert.equal(assignWaves(6, { canary: 1, batch: "2" }), [0, 1, 1, 2, 2, 3]);
  assert.equal(assignWaves(5, { canary: 0, batch: "40%" }), [1, 1, 2, 2, 3]);
  assert.equal(assignWaves(3, { canary: 5, batch: "1" }), [0, 0, 0]);
  assert.equal(assignWaves(3, { canary: 0, batch: "1%" }), [1, 2, 3]);
});

test("starts the spokes of one wave, up to the limit of each cluster", () => {
  const spokes = [spoke("a", 1), spoke("b", 1), spoke("c", 1), spoke("d", 1, { cluster: "east" }), spoke("e", 2)];
  assert.equal(decide(spokes), { kind: "start", spokeIds: ["a", "b", "d"] });
  const running = spoke("a", 1, { state: "running", operationId: "op_1" });
  assert.equal(decide([running, ...spokes.slice(1)]), { kind: "start", spokeIds: ["b", "d"] });
});

test("starts the next wave only when every spoke of the wave is healthy", () => {
  const checking = spoke("a", 1, { state: "checking", endedAt: minutesAgo(1) });
  assert.is(decide([checking, spoke("b", 2)]).kind, "wait");
  assert.equal(decide([done("a", 1), spoke("b", 2)]), { kind: "start", spokeIds: ["b"] });
  assert.equal(decide([spoke("a", 1, { state: "skipped" }), spoke("b", 2)]), { kind: "start", spokeIds: ["b"] });
});

test("waits for a running operation", () => {
  const running = spoke("a", 1, { state: "running", operationId: "op_1" });
  assert.equal(decide([running, spoke("b", 2)]), {
    kind: "await",
    operationId: "op_1",
    note: "Waiting for 1 of 2 spokes",
  });
});

test("watches the canary, also if there is no other wave", () => {
  for (const others of [[], [spoke("b", 1)]]) {
    const step = decide([done("a", 0, 7), ...others]);
    assert.equal(step, { kind: "wait", milliseconds: MINUTE, note: "Watching the first spokes for another 3 minutes" });
  }
  assert.match((decide([done("a", 0, 9)]) as { note: string }).note, /another minute$/);
  assert.is(decide([done("a", 0, 10), spoke("b", 1)]).kind, "start");
});

test("pauses after too many failures, before anything else starts", () => {
  const failed = (id: string) => spoke(id, 1, { state: "failed" });
  assert.is(decide([failed("a"), spoke("b", 1)]).kind, "start");
  assert.equal(decide([failed("a"), failed("b"), spoke("c", 1)]), { kind: "pause", reason: "2 spokes failed" });
  assert.equal(decide([failed("a"), failed("b")]), { kind: "pause", reason: "2 spokes failed" });
});

test("starts nothing outside its time window, or while it is paused", () => {
  const timeWindow = { days: ["sat" as const], from: "22:00", to: "05:00", timeZone: "UTC" };
  assert.equal(decide([spoke("a", 1)], { timeWindow }), {
    kind: "wait",
    milliseconds: MINUTE,
    note: "Waiting for the time window, which opens at 2026-11-28T22:00:00.000Z",
  });
  assert.equal(decide([spoke("a", 1)], { state: "paused" }), { kind: "stop" });
  const running = spoke("a", 1, { state: "running", operationId: "op_1" });
  assert.is(decide([running, spoke("b", 1)], { state: "aborted" }).kind, "await");
});

test("completes when nothing is left", () => {
  assert.equal(decide([done("a", 1), spoke("b", null, { state: "skipped" })]), { kind: "complete" });
});

test("an operation's end decides about its spoke", () => {
  const ended = (state: "succeeded" | "failed" | "cancelled") =>
    settle({ state: "running", operation: { state, finishedAt: minutesAgo(2), message: "No image" } });
  assert.equal(ended("succeeded"), { spokeId: "a", state: "checking", reason: null, endedAt: minutesAgo(2) });
  assert.equal(ended("failed"), { spokeId: "a", state: "failed", reason: "No image", endedAt: minutesAgo(2) });
  assert.is(ended("cancelled")?.state, "failed");
  assert.is(settle({ state: "running", operation: { state: "queued", finishedAt: null, message: null } }), null);
  assert.is(settle({ state: "running" })?.state, "failed");
});

test("a spoke succeeds when its site was seen healthy after the operation", () => {
  const checked = (rest: Partial<ObservedRolloutSpoke>) =>
    settle({ state: "checking", endedAt: minutesAgo(2), ...rest })?.state ?? null;
  assert.is(checked({ observedAt: minutesAgo(1) }), "succeeded");
  assert.is(checked({ observedAt: minutesAgo(3) }), null);
  assert.is(checked({ health: "degraded", observedAt: minutesAgo(1) }), null);
  assert.is(checked({ spokeState: "suspended", observedAt: null }), "succeeded");
  assert.is(checked({ health: "degraded", endedAt: new Date(NOW.getTime() - HEALTH_LIMIT - 1) }), "failed");
});

test("a watched spoke that becomes degraded has failed", () => {
  const watched = (wave: number, minutes: number) =>
    settle({ state: "succeeded", health: "degraded", wave, endedAt: minutesAgo(minutes) })?.state ?? null;
  assert.is(watched(0, 5), "failed");
  assert.is(watched(0, 11), null);
  assert.is(watched(1, 5), null);
});

test.run();
