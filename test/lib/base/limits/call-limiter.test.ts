import { AsyncLocalStorage } from "node:async_hooks";
import { execFile } from "node:child_process";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createCallLimiter, createKeyedCallLimiter } from "#lib/base/limits/call-limiter.ts";
import { rejection, until } from "#test/support/until.ts";

const nobody: AbortSignal[] = [];

/** Tasks that end when the test ends them. */
function openWorks(concurrency: number) {
  const limiter = createCallLimiter({ concurrency }), begun: string[] = [], ends = new Map<string, () => void>();
  const begin = (name: string, signals = nobody) =>
    limiter.run(signals, () => {
      begun.push(name);
      return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
    });
  return { begin, begun, end: (name: string) => ends.get(name)!() };
}

const test = suite("createCallLimiter");

test("starts calls in order of arrival while slots are free", async () => {
  const { begin, begun, end } = openWorks(2);
  const works = ["a", "b", "c", "d"].map((name) => begin(name));
  await until(() => begun.length === 2);
  end("b");
  assert.is(await works[1], "b");
  await until(() => begun.length === 3);
  assert.equal(begun, ["a", "b", "c"]);
  end("a");
  end("c");
  await Promise.all([works[0], works[2]]);
  await until(() => begun.length === 4);
  end("d");
  await works[3];
});

test("releases the slot of a failed call", async () => {
  const limiter = createCallLimiter({ concurrency: 1 }), broken = new Error("broken");
  assert.is(await rejection(limiter.run(nobody, () => Promise.reject(broken))), broken);
  assert.is(await limiter.run(nobody, () => Promise.resolve("next")), "next");
});

test("never starts an aborted call, and keeps no slot for it", async () => {
  const { begin, begun, end } = openWorks(1), off = new AbortController(), reason = new Error("called off");
  const works = [begin("a"), begin("b", [off.signal]), begin("c")] as const;
  await until(() => begun.length === 1);
  off.abort(reason);
  assert.is(await rejection(works[1]), reason); // although "a" still runs
  end("a");
  await works[0];
  await until(() => begun.length === 2);
  end("c");
  await works[2];
  assert.equal(begun, ["a", "c"]);
  assert.is(await rejection(begin("d", [off.signal])), reason);
});

test("passes the slot on if the call is aborted when it gets the slot", async () => {
  const { begin, begun, end } = openWorks(1), off = new AbortController();
  const works = [begin("a"), begin("b", [off.signal]), begin("c")] as const;
  await until(() => begun.length === 1);
  end("a");
  off.abort(new Error("called off"));
  await works[0];
  await works[1].catch(() => {});
  if (begun.includes("b")) end("b");
  await until(() => begun.at(-1) === "c");
  end("c");
  await works[2];
});

test("runs each call in the asynchronous context of its caller", async () => {
  const context = new AsyncLocalStorage<string>(), { run } = createCallLimiter({ concurrency: 1 });
  const names = ["a", "b", "c"].map((name) =>
    context.run(name, () => run(nobody, () => Promise.resolve(context.getStore())))
  );
  assert.equal(await Promise.all(names), ["a", "b", "c"]);
});

test("starts no more calls than the rate allows, and the others later", async () => {
  const { run, close } = createCallLimiter({ concurrency: 10, rate: { perSecond: 8, burst: 3 } }), begun: number[] = [];
  const calls = [1, 2, 3, 4, 5].map((call) => run(nobody, () => Promise.resolve(void begun.push(call))));
  await Promise.all(calls.slice(0, 3));
  await new Promise((resolve) => setTimeout(resolve));
  assert.equal(begun, [1, 2, 3]);
  await Promise.all(calls);
  assert.equal(begun, [1, 2, 3, 4, 5]);
  close();
});

test("starts calls also after the system clock was set back", async () => {
  const { run, close } = createCallLimiter({ concurrency: 1, rate: { perSecond: 4, burst: 1 } }), { now } = Date;
  await run(nobody, () => Promise.resolve());
  try {
    Date.now = () => now() - 3_600_000;
    let begun = 0;
    const call = run(nobody, () => Promise.resolve(begun++));
    await until(() => begun === 1);
    await call;
  } finally {
    Date.now = now;
    close();
  }
});

test("does not keep the process running", async () => {
  const program = `
    import { createCallLimiter, createKeyedCallLimiter } from "#lib/base/limits/call-limiter.ts";
    const limiter = createCallLimiter({ concurrency: 1, rate: { perSecond: 1, burst: 2 } });
    await limiter.run([], () => Promise.resolve());
    (await createKeyedCallLimiter({ concurrency: 1 }).enter("a"))();
    console.log("end");`;
  const args = "deno" in process.versions ? ["eval", "--ext=ts"] : ["--input-type=module", "--eval"];
  const output = await new Promise((resolve) =>
    execFile(process.execPath, [...args, program], (_, text) => resolve(text))
  );
  assert.is(output, "end\n");
});

test.run();

const keyed = suite("createKeyedCallLimiter");

/** Calls that end when the test ends them. */
function open(concurrency: number, perKey?: number) {
  const limiter = createKeyedCallLimiter({ concurrency, ...(perKey !== undefined && { perKey }) });
  const began: string[] = [], ends = new Map<string, () => void>();
  return {
    limiter,
    began,
    async enter(key: string, name: string, isRetry = false) {
      ends.set(name, await limiter.enter(key, { isRetry }));
      began.push(name);
    },
    async end(name: string, next?: string) {
      ends.get(name)!();
      if (next !== undefined) await until(() => began.includes(next));
    },
  };
}

keyed("runs one call per key at a time, in order of arrival", async () => {
  const { enter, end, began } = open(4);
  const all = [enter("north", "a"), enter("north", "b"), enter("north", "c"), enter("south", "d")];
  await Promise.all([all[0], all[3]]);
  assert.equal(began, ["a", "d"]);
  await end("a", "b");
  await end("b", "c");
  await end("c");
  assert.equal(began, ["a", "d", "b", "c"]);
});

keyed("serves a retry before the key's other calls", async () => {
  const { enter, end, began } = open(1);
  const first = enter("north", "a"), second = enter("north", "b");
  await first;
  const retry = enter("north", "retry", true);
  await end("a", "retry");
  await end("retry", "b");
  await Promise.all([second, retry]);
  assert.equal(began, ["a", "retry", "b"]);
});

keyed("lets keys take turns", async () => {
  const { enter, end, began } = open(1);
  const long = ["n1", "n2", "n3", "n4"].map((name) => enter("north", name)), short = enter("south", "s1");
  await long[0];
  await end("n1", "s1");
  assert.equal(began, ["n1", "s1"]);
  for (const [name, next] of [["s1", "n2"], ["n2", "n3"], ["n3", "n4"]] as const) await end(name, next);
  await Promise.all([...long, short]);
});

keyed("limits running calls over all keys", async () => {
  const { enter, end, began } = open(2);
  const all = ["north", "south", "west"].map((key) => enter(key, key));
  await Promise.all(all.slice(0, 2));
  assert.equal(began, ["north", "south"]);
  await end("south", "west");
  await all[2];
});

keyed("runs several calls of one key if perKey allows it", async () => {
  const { enter, end, began } = open(3, 2);
  const all = ["a", "b", "c"].map((name) => enter("net", name));
  await Promise.all(all.slice(0, 2));
  assert.equal(began, ["a", "b"]);
  await end("b", "c");
  await all[2];
});

keyed("withdraws an aborted call without delaying others, and forgets unused keys", async () => {
  const { limiter, enter, end, began } = open(1), calling = new AbortController();
  await enter("north", "a");
  const withdrawn = rejection(limiter.enter("north", { signal: calling.signal })), next = enter("north", "b");
  calling.abort(new Error("The client left"));
  assert.is((await withdrawn).message, "The client left");
  assert.is((await rejection(limiter.enter("west", { signal: calling.signal }))).message, "The client left");
  assert.equal(limiter.keys(), ["north"]);
  await end("a", "b");
  await next;
  await end("b");
  await until(() => limiter.keys().length === 0);
  assert.equal(began, ["a", "b"]);
});

keyed.run();
