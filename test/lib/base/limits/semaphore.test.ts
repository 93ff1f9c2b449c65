import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createSemaphore } from "#lib/base/limits/semaphore.ts";
import { rejection } from "#test/support/until.ts";

const test = suite("createSemaphore");
const nobody: AbortSignal[] = [];
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Tasks that end when the test ends them. */
function openWorks(count: number) {
  const places = createSemaphore(count), begun: string[] = [], ends = new Map<string, () => void>();
  const begin = (name: string, signals = nobody) =>
    places.run(signals, () => {
      begun.push(name);
      return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
    });
  return { begin, begun, end: (name: string) => ends.get(name)!() };
}

test("starts work immediately while slots are free, then in order of arrival", async () => {
  const { begin, begun, end } = openWorks(2);
  const works = ["a", "b", "c", "d"].map((name) => begin(name));
  assert.equal(begun, ["a", "b"]);
  end("b");
  assert.is(await works[1], "b");
  await turn();
  assert.equal(begun, ["a", "b", "c"]);
  end("a");
  end("c");
  await Promise.all([works[0], works[2]]);
  await turn();
  assert.equal(begun, ["a", "b", "c", "d"]);
});

test("releases the slot of failed work", async () => {
  const places = createSemaphore(1), broken = new Error("broken");
  assert.is(await rejection(places.run(nobody, () => Promise.reject(broken))), broken);
  assert.is(await places.run(nobody, () => Promise.resolve("next")), "next");
});

test("never starts aborted work, and keeps no slot for it", async () => {
  const { begin, begun, end } = openWorks(1), off = new AbortController(), reason = new Error("called off");
  const works = [begin("a"), begin("b", [off.signal]), begin("c")] as const;
  off.abort(reason);
  assert.is(await rejection(works[1]), reason);
  end("a");
  await works[0];
  await turn();
  assert.equal(begun, ["a", "c"]);
});

test("passes the slot on if the work is aborted when it gets the slot", async () => {
  const { begin, begun, end } = openWorks(1), off = new AbortController();
  const works = [begin("a"), begin("b", [off.signal]), begin("c")] as const;
  end("a");
  off.abort(new Error("called off"));
  await works[0];
  await works[1].catch(() => {});
  if (begun.includes("b")) end("b");
  await turn();
  assert.is(begun.at(-1), "c");
});

test.run();
