import { setImmediate } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { startPatientTimer } from "#lib/base/patient-timer.ts";

const test = suite("startPatientTimer");

test("handles events that arrived while the process was busy, before it acts", async () => {
  const order: string[] = [];
  const stop = startPatientTimer(200, () => void order.push("late"));
  const answer = setImmediate().then(() => (stop(), order.push("answer")));
  const end = performance.now() + 400;
  while (performance.now() < end); // keeps the process busy for longer than the timer
  await answer;
  assert.equal(order, ["answer"]);
});

test("acts once after its time, unless it is stopped", async () => {
  const start = performance.now();
  let stopped = 0;
  const stop = startPatientTimer(10, () => void stopped++);
  stop();
  let calls = 0;
  await new Promise<void>((resolve) => startPatientTimer(20, () => (calls++, resolve())));
  assert.ok(performance.now() - start >= 18, "not before its time"); // a runtime may round a timer down
  await new Promise<void>((resolve) => startPatientTimer(20, resolve));
  assert.equal([calls, stopped], [1, 0]);
});

test.run();
