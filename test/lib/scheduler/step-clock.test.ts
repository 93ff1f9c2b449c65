import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Job } from "#lib/jobs/job.ts";
import { createStepClock } from "#lib/scheduler/step-clock.ts";
import { DAY, MINUTE, SECOND } from "#lib/base/time.ts";
import { kind } from "./scene.ts";

const test = suite<{ now: { ms: number } }>("createStepClock");
const clock = performance.now;

test.before.each((context) => {
  const now = context.now = { ms: 1_000_000 };
  performance.now = () => now.ms;
});
test.after.each(() => void (performance.now = clock));

const updatedAt = new Date("2026-11-21T00:00:00Z");
const claimed = { updatedAt, deadlineAt: new Date(updatedAt.getTime() + 10 * MINUTE) } as Job;

test("limits a step's timeout to the time left of the job", ({ now }) => {
  const { startStep: begin } = createStepClock(kind("work", ["only"]), claimed);
  assert.is(begin(4 * MINUTE), 4 * MINUTE);
  now.ms += 7 * MINUTE;
  assert.is(begin(4 * MINUTE), 3 * MINUTE);
  now.ms += 4 * MINUTE;
  assert.is(begin(4 * MINUTE), 0);
});

test("gives a step of a persistent kind its full timeout, limited to the longest timer", ({ now }) => {
  const { startStep: begin } = createStepClock(kind("work", ["only"], { persistent: true }), claimed);
  now.ms += DAY;
  assert.equal([begin(4 * MINUTE), begin(25 * DAY)], [4 * MINUTE, 2 ** 31 - 1]);
});

test("allows waiting for most of the step's timeout, and at least a second", ({ now }) => {
  const { startStep: begin, timeLeft: patience } = createStepClock(kind("work", ["only"]), claimed);
  begin(MINUTE);
  assert.is(patience(), 54 * SECOND);
  now.ms += MINUTE;
  assert.is(patience(), SECOND);
});

test.run();
