import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createKeyedQueues } from "#lib/base/limits/keyed-queues.ts";
import { rejection } from "#test/support/until.ts";

const test = suite("createKeyedQueues");

/** Queues of tasks that end when the test ends them. */
function open(slots: number, abreast?: number) {
  const queues = createKeyedQueues({ slots, ...(abreast !== undefined && { perQueue: abreast }) });
  const began: string[] = [], releases = new Map<string, () => void>();
  let order = 0;
  return {
    queues,
    began,
    async enter(key: string, name: string, at = ++order) {
      releases.set(name, await queues.enter(key, { order: at }));
      began.push(name);
    },
    async end(name: string) {
      releases.get(name)!();
      await Promise.resolve();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

test("runs one task per queue at a time, in order of arrival", async () => {
  const { enter, end, began } = open(4);
  const all = [enter("north", "a"), enter("north", "b"), enter("north", "c")];
  await all[0];
  assert.equal(began, ["a"]);
  await end("a");
  await end("b");
  await end("c");
  await Promise.all(all);
  assert.equal(began, ["a", "b", "c"]);
});

test("serves the lower sequence number first, even if it enters later", async () => {
  const { enter, end, began } = open(1);
  const all = [enter("north", "first", 1), enter("north", "third", 3), enter("north", "second", 2)];
  await all[0];
  for (const name of ["first", "second", "third"]) await end(name);
  await Promise.all(all);
  assert.equal(began, ["first", "second", "third"]);
});

test("serves queues round-robin", async () => {
  const { enter, end, began } = open(1);
  const long = ["n1", "n2", "n3", "n4"].map((name) => enter("north", name));
  const short = enter("south", "s1");
  await long[0];
  await end("n1");
  await short;
  assert.equal(began, ["n1", "s1"]);
  for (const name of ["s1", "n2", "n3", "n4"]) await end(name);
  await Promise.all(long);
});

test("limits running tasks to the number of slots, over all queues", async () => {
  const { enter, end, began } = open(2);
  const all = ["north", "south", "west"].map((key) => enter(key, key));
  await Promise.all(all.slice(0, 2));
  assert.equal(began, ["north", "south"]);
  await end("south");
  await all[2];
  assert.equal(began, ["north", "south", "west"]);
});

test("runs several tasks of one queue if perQueue allows it", async () => {
  const { enter, end, began } = open(3, 2);
  const all = ["a", "b", "c"].map((name) => enter("net", name));
  await Promise.all(all.slice(0, 2));
  assert.equal(began, ["a", "b"]);
  await end("b");
  await all[2];
});

test("serves a new queue before further tasks of the one that was just served", async () => {
  const { enter, end, began } = open(4, 3);
  const all = [enter("net", "a"), ...["x", "y", "z"].map((name) => enter("other", name))];
  await Promise.all(all);
  const waiting = [enter("net", "b"), enter("net", "c"), enter("new", "n")];
  await end("x");
  await end("y");
  assert.equal(began, ["a", "x", "y", "z", "b", "n"]);
  await end("z");
  await Promise.all(waiting);
});

test("withdraws an aborted task without delaying others", async () => {
  const { queues, enter, end, began } = open(1), calling = new AbortController();
  await enter("north", "a");
  const withdrawn = rejection(queues.enter("north", { order: 2, signal: calling.signal }));
  const next = enter("north", "b", 3);
  assert.is(queues.waiting(), 2);
  calling.abort(new Error("The client left"));
  assert.is((await withdrawn).message, "The client left");
  assert.is(queues.waiting(), 1);
  await end("a");
  await next;
  assert.equal(began, ["a", "b"]);
});

test("rejects an already aborted task", async () => {
  const { queues } = open(1);
  assert.is(
    (await rejection(queues.enter("north", { order: 1, signal: AbortSignal.abort(new Error("gone")) }))).message,
    "gone",
  );
  (await queues.enter("north", { order: 2 }))();
});

test("releases a slot only once", async () => {
  const { queues } = open(1);
  const release = await queues.enter("north", { order: 1 });
  release();
  release();
  const held = await queues.enter("north", { order: 2 });
  let third = false;
  const waiting = queues.enter("south", { order: 3 }).then((free) => {
    third = true;
    free();
  });
  await new Promise((resolve) => setImmediate(resolve));
  assert.is(third, false);
  held();
  await waiting;
});

test.run();
