import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openTimeBudget } from "#lib/base/limits/time-budget.ts";

const test = suite("openTimeBudget");

function open(limit: number) {
  let now = 0, spent = 0;
  let timer: { readonly at: number; readonly work: () => void } | null = null;
  const allowance = openTimeBudget({
    limit,
    now: () => now,
    after: (ms, work) => {
      const own = timer = { at: now + ms, work };
      return () => void (timer === own && (timer = null));
    },
  });
  allowance.start(() => spent++);
  return {
    allowance,
    spent: () => spent,
    pass(ms: number) {
      now += ms;
      if (timer === null || timer.at > now) return;
      const { work } = timer;
      timer = null;
      work();
    },
  };
}

test("calls back when the time is used up", () => {
  const { pass, spent } = open(100);
  pass(99);
  assert.is(spent(), 0);
  pass(1);
  assert.is(spent(), 1);
});

test("pauses during runPaused and resumes afterwards", async () => {
  const { allowance, pass, spent } = open(100), aside = Promise.withResolvers<void>();
  pass(60);
  const waiting = allowance.runPaused(() => allowance.runPaused(() => aside.promise));
  pass(5000);
  assert.is(spent(), 0);
  aside.resolve();
  await waiting;
  pass(39);
  assert.is(spent(), 0);
  pass(1);
  assert.is(spent(), 1);
});

test("resumes after paused work failed", async () => {
  const { allowance, pass, spent } = open(100);
  await allowance.runPaused(() => Promise.reject(new Error("left"))).catch(() => {});
  pass(100);
  assert.is(spent(), 1);
});

test("restores the full time on reset", () => {
  const { allowance, pass, spent } = open(100);
  pass(90);
  allowance.reset();
  pass(90);
  assert.is(spent(), 0);
  pass(10);
  assert.is(spent(), 1);
});

test("never calls back once closed, even if paused work ends later", async () => {
  const { allowance, pass, spent } = open(100), aside = Promise.withResolvers<void>();
  const waiting = allowance.runPaused(() => aside.promise);
  allowance.close();
  aside.resolve();
  await waiting;
  pass(1000);
  assert.is(spent(), 0);
});

test.run();
