import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openWorkLimiter } from "#lib/drivers/crypto/work-limiter.ts";
import { rejection } from "#test/support/until.ts";

const test = suite("openWorkLimiter");

/** A limiter with work that ends on request. */
function open(atOnce: number, places: number) {
  const through = openWorkLimiter(atOnce, places);
  const begun: string[] = [], refused: string[] = [], ends = new Map<string, () => void>();
  return {
    begun,
    refused,
    through,
    /** Starts work for this caller when a slot is free. */
    enter(whose: string, name = whose, signal?: AbortSignal) {
      const { promise, resolve } = Promise.withResolvers<void>();
      ends.set(name, resolve);
      return through({ caller: whose, signal }, () => (begun.push(name), promise)).catch((error) => {
        refused.push(name);
        return error;
      });
    },
    async end(name: string) {
      ends.get(name)!();
      await turn();
    },
  };
}

test("limits concurrent calls and runs the others in order", async () => {
  const { enter, end, begun } = open(2, 10);
  for (const name of "abcde") enter(name);
  await turn();
  assert.equal(begun, ["a", "b"]);
  await end("b");
  assert.equal(begun, ["a", "b", "c"]);
  enter("f");
  await turn();
  assert.equal(begun, ["a", "b", "c"], "the passed slot is not free");
  for (const name of "acdef") await end(name);
  assert.equal(begun.join(""), "abcdef");
});

test("releases the slot of failed work and throws its error", async () => {
  const { through } = open(1, 1);
  assert.is((await rejection(through({ caller: "a" }, () => Promise.reject(new Error("no"))))).message, "no");
  assert.is(await through({ caller: "a" }, () => Promise.resolve("yes")), "yes");
});

test("refuses calls with a retry delay when the queue is full", async () => {
  const { enter, through, end } = open(1, 1);
  enter("a");
  enter("b");
  const refusal = await rejection(through({ caller: "c" }, () => Promise.resolve()));
  assert.is(refusal.code, "busy");
  assert.ok((refusal as { retryAfter?: number }).retryAfter! > 0);
  await end("a");
  await end("b");
});

test("serves callers by their number of recent calls, not by arrival", async () => {
  const { enter, end, begun } = open(1, 10);
  for (const name of ["a1", "a2", "a3", "b1", "b2", "c1"]) enter(name[0]!, name);
  await turn();
  for (const name of ["a1", "b1", "c1", "a2", "b2"]) await end(name);
  assert.equal(begun, ["a1", "b1", "c1", "a2", "b2", "a3"]);
});

test("replaces the newest queued call of the busiest caller when the queue is full", async () => {
  const { enter, end, begun, refused } = open(1, 4);
  for (const name of ["a1", "a2", "a3", "a4", "b1"]) enter(name[0]!, name);
  enter("c");
  enter("b", "b2");
  await turn();
  assert.equal(refused, ["a4", "a3"]);
  assert.is((await enter("b", "b3")).code, "busy", "a caller with as many calls replaces none");
  for (const name of ["a1", "b1", "c", "a2"]) await end(name);
  assert.equal(begun, ["a1", "b1", "c", "a2", "b2"]);
});

test("does not replace calls of callers with one call each", async () => {
  const { enter, refused } = open(1, 3);
  for (const name of ["a", "b", "c", "d", "e"]) enter(name);
  await turn();
  assert.equal(refused, ["e"]);
});

test("removes cancelled calls from the queue", async () => {
  const { enter, end, begun } = open(1, 1);
  const giving = new AbortController();
  enter("a");
  const gone = enter("b", "b", giving.signal);
  giving.abort(new Error("gone"));
  assert.is((await gone).message, "gone");
  assert.is((await enter("c", "c", giving.signal)).message, "gone");
  enter("d");
  await end("a");
  assert.equal(begun, ["a", "d"]);
});

test.run();

function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
