import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openGate } from "#lib/crypto/gate.ts";
import { rejection } from "#test/support/until.ts";

const test = suite("openGate");

test("lets so many in at once and the others in order, as places become free", async () => {
  const through = openGate(2, 10);
  const begun: number[] = [];
  const jobs = Array.from({ length: 5 }, (_, i) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    return { done: through(() => (begun.push(i), promise)), resolve };
  });
  await turn();
  assert.equal(begun, [0, 1]);
  jobs[1]!.resolve();
  await jobs[1]!.done;
  await turn();
  assert.equal(begun, [0, 1, 2]);
  const late = through(() => Promise.resolve(begun.push(5)));
  await turn();
  assert.equal(begun, [0, 1, 2], "the place that was handed on is not free");
  for (const job of jobs) job.resolve();
  await Promise.all([...jobs.map((job) => job.done), late]);
  assert.equal(begun, [0, 1, 2, 3, 4, 5]);
});

test("frees the place of work that fails, and tells its caller", async () => {
  const through = openGate(1, 1);
  assert.is((await rejection(through(() => Promise.reject(new Error("no"))))).message, "no");
  assert.is(await through(() => Promise.resolve("yes")), "yes");
});

test("refuses whoever comes when the queue is full, with a time to come back", async () => {
  const through = openGate(1, 0);
  const { promise, resolve } = Promise.withResolvers<void>();
  const first = through(() => promise);
  const refusal = await rejection(through(() => Promise.resolve()));
  assert.is(refusal.code, "busy");
  assert.ok((refusal as { retryAfter?: number }).retryAfter! > 0);
  resolve();
  await first;
});

test.run();

function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
