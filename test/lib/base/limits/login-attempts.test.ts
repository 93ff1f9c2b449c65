import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Fault } from "#lib/base/errors.ts";
import { createLoginThrottle } from "#lib/base/limits/login-attempts.ts";
import { MINUTE, SECOND } from "#lib/base/time.ts";

const test = suite("createLoginThrottle");
const ADA = "ada@example.org", EVE = "eve@example.org";

interface Running {
  readonly name: string;
  end(judged: "in" | null | Error): void;
}

/** Login attempts with a clock and password checks controlled by the test. */
function open(capacity?: number) {
  const clock = { now: 0 };
  let timers: { at: number; work: () => void }[] = [];
  const attempts = createLoginThrottle({
    ...(capacity !== undefined && { capacity }),
    now: () => clock.now,
    after(ms, work) {
      const timer = { at: clock.now + ms, work };
      timers.push(timer);
      return () => void (timers = timers.filter((one) => one !== timer));
    },
  });
  const running: Running[] = [], outcomes = new Map<string, unknown>();
  const stage = {
    /** Attempts whose passwords are being checked. */
    names: () => running.map(({ name }) => name),
    /** The result of each attempt, or the code or message of its error. */
    outcomes,
    async pass(ms: number) {
      const end = clock.now + ms;
      for (;;) {
        const [next] = timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
        if (!next) break;
        timers = timers.filter((one) => one !== next);
        clock.now = next.at;
        next.work();
        await settled();
      }
      clock.now = end;
    },
    async take(whose: string, name = whose, email = ADA, signal?: AbortSignal) {
      const verify = () =>
        new Promise<"in" | null>((resolve, reject) =>
          running.push({ name, end: (judged) => judged instanceof Error ? reject(judged) : resolve(judged) })
        );
      attempts.run({ email, caller: whose, signal }, verify).then(
        (judged) => outcomes.set(name, judged),
        (error: Fault) => outcomes.set(name, error.code ?? error.message),
      );
      await settled();
    },
    async end(judged: "in" | null | Error, name = running[0]?.name) {
      const [one] = running.splice(running.findIndex((each) => each.name === name), 1);
      one!.end(judged);
      await settled();
    },
    /** Sends `count` wrong passwords, one after the other. */
    async fail(times: number, whose = "thief", email = ADA) {
      for (let i = 0; i < times; i++) {
        await stage.take(whose, whose, email);
        if (running.length === 0) await stage.pass(2 * SECOND);
        await stage.end(null);
      }
    },
    timers: () => timers.length,
  };
  return stage;
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 0));

test("checks five wrong passwords without delay, and further ones one by one", async () => {
  const { take, end, names, pass } = open();
  for (let i = 0; i < 8; i++) await take(`net${i}`);
  assert.equal(names(), ["net0", "net1", "net2", "net3", "net4"]);
  for (let i = 0; i < 5; i++) await end(null);
  assert.equal(names(), []);
  await pass(SECOND / 4);
  assert.equal(names(), ["net5"]);
  await pass(MINUTE / 10);
  assert.equal(names(), ["net5"], "not while a password is being checked");
});

test("pauses longer after each failure, at most two seconds", async () => {
  const { fail, take, pass, end, names } = open();
  await fail(5);
  for (const pause of [250, 500, 1000, 2000, 2000, 2000]) {
    await take("thief");
    await pass(pause - 1);
    assert.equal(names(), [], `before ${pause} ms`);
    await pass(1);
    assert.equal(names(), ["thief"], `after ${pause} ms`);
    await end(null);
  }
});

test("starts an attempt immediately after the pause", async () => {
  const { fail, pass, take, names } = open();
  await fail(9);
  await pass(2 * SECOND);
  await take("owner");
  assert.equal(names(), ["owner"]);
});

test("serves the owner before waiting guesses of other networks", async () => {
  const { fail, take, pass, end, names, outcomes } = open();
  for (let i = 0; i < 9; i++) await fail(1, `thief${i}`);
  for (let i = 0; i < 90; i++) await take(`thief${i % 9}`, `guess${i}`);
  await take("owner");
  await pass(2 * SECOND);
  assert.equal(names(), ["owner"]);
  await end("in");
  assert.is(outcomes.get("owner"), "in");
});

test("evicts the heaviest guesser from a full queue, with Retry-After", async () => {
  const { fail, take, outcomes } = open();
  await fail(5);
  for (let i = 0; i < 64; i++) await take("thief", `guess${i}`);
  assert.is(outcomes.get("guess63"), undefined);
  await take("thief", "one more");
  assert.is(outcomes.get("one more"), "too_many_tries");
  await take("owner");
  assert.equal([outcomes.get("guess63"), outcomes.get("owner")], ["too_many_tries", undefined]);
});

test("shares the queue among all accounts, fairly by network", async () => {
  const { fail, take, outcomes } = open();
  await fail(5, "thief", ADA);
  await fail(5, "thief", EVE);
  for (let i = 0; i < 64; i++) await take("thief", `guess${i}`, i % 2 ? ADA : EVE);
  await take("owner", "eve", EVE);
  await take("neighbour", "ada", ADA);
  assert.equal([outcomes.get("eve"), outcomes.get("ada")], [undefined, undefined]);
  assert.equal([...outcomes].filter(([, how]) => how === "too_many_tries").map(([name]) => name), [
    "guess63",
    "guess62",
  ]);
});

test("resets the delay after the right password", async () => {
  const { fail, take, pass, end, names } = open();
  await fail(9);
  await take("owner");
  for (let i = 0; i < 3; i++) await take("thief", `guess${i}`);
  await pass(2 * SECOND);
  await end("in");
  assert.equal(names(), ["guess0", "guess1", "guess2"]);
});

test("resets the failures of the network after the right password", async () => {
  const { fail, take, pass, end, names } = open();
  await fail(4, "owner");
  await take("owner");
  await end("in");
  for (let i = 0; i < 5; i++) await fail(1, `thief${i}`);
  for (let i = 0; i < 5; i++) await take(`thief${i}`);
  await take("owner");
  await pass(SECOND / 4);
  assert.equal(names(), ["owner"]);
});

test("forgets failures after a quarter of an hour", async () => {
  const { fail, take, pass, names } = open();
  await fail(9);
  await pass(15 * MINUTE - 1);
  for (let i = 0; i < 3; i++) await take(`net${i}`);
  assert.is(names().length, 1);
  const other = open();
  await other.fail(9);
  await other.pass(15 * MINUTE);
  for (let i = 0; i < 3; i++) await other.take(`net${i}`);
  assert.is(other.names().length, 3);
});

test("does not count attempts that failed for other reasons", async () => {
  const { fail, take, end, pass, names, outcomes } = open();
  await fail(5);
  await pass(SECOND);
  for (const name of ["a", "b"]) await take(name);
  await end(new Error("the database is away"));
  assert.equal([outcomes.get("a"), names()], ["the database is away", ["b"]]);
  await end(null);
  await take("c");
  await pass(SECOND / 2 - 1);
  assert.equal(names(), [], "still slowed");
  await pass(1);
  assert.equal(names(), ["c"]);
});

test("does not delay other accounts", async () => {
  const { fail, take, pass, names } = open();
  await fail(9, "thief", EVE);
  await fail(5, "thief", ADA);
  await take("newcomer", "eve", EVE);
  await take("thief", "ada", ADA);
  await pass(SECOND / 4);
  assert.equal(names(), ["ada"]);
  for (const name of ["a", "b"]) await take("thief", name, "other@example.org");
  assert.equal(names(), ["ada", "a", "b"]);
});

test("withdraws aborted attempts, and those that waited for fifteen seconds", async () => {
  const { fail, take, pass, end, names, outcomes, timers } = open();
  await fail(9);
  const giving = new AbortController();
  await take("gone", "gone", ADA, giving.signal);
  giving.abort(new Error("gone"));
  await settled();
  assert.is(outcomes.get("gone"), "gone");
  await pass(2 * SECOND);
  assert.equal([names(), timers()], [[], 0]);
  await take("slow");
  await take("late");
  await pass(15 * SECOND);
  assert.equal([names(), outcomes.get("late")], [["slow"], "too_many_tries"]);
  await end(null);
  await pass(2 * SECOND);
  assert.equal([names(), timers()], [[], 0]);
});

test("bounds its memory, and does not evict a slowed account when many others fail", async () => {
  const { fail, take, pass, names } = open(10);
  await fail(9);
  await pass(2 * SECOND);
  for (let i = 0; i < 50; i++) await fail(1, "thief", `nobody${i}@example.org`);
  for (let i = 0; i < 3; i++) await take(`net${i}`);
  assert.is(names().length, 1);
});

test("evicts the account that failed longest ago if all are slowed", async () => {
  const { fail, take, pass, names } = open(3);
  for (const name of ["a", "b", "c", "d"]) {
    await fail(5, "thief", name);
    await pass(2 * SECOND);
  }
  for (let i = 0; i < 3; i++) await take(`net${i}`, `d${i}`, "d");
  assert.is(names().length, 1);
  for (let i = 0; i < 3; i++) await take(`net${i}`, `a${i}`, "a");
  assert.is(names().length, 4);
});

test.run();
