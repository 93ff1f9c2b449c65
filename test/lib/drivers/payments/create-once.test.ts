import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createOnce } from "#lib/drivers/payments/create-once.ts";
import { PaymentRefusal } from "#lib/drivers/payments/errors.ts";
import { NEVER_ABORTED } from "#test/support/payments.ts";
import { rejection } from "#test/support/until.ts";

const test = suite("createOnce");

const refusal = (code: string, replayed: boolean) =>
  new PaymentRefusal(code, "No", { transient: true, status: code === "idempotency_error" ? 400 : 500, replayed });

/** Runs createOnce with these results, one per create call. `found` is found after that many calls. */
function attempt(answers: (string | null | Error)[], { settle = 0, found = Infinity, signal = NEVER_ABORTED } = {}) {
  const done: string[] = [];
  const result = createOnce({ settleMs: settle, signal }, {
    key: "thing-of-fed_1",
    find: () => {
      done.push("find");
      return Promise.resolve(done.filter((each) => each !== "find").length >= found ? "found" : null);
    },
    create: (key) => {
      done.push(key.replace("wheelwright-thing-of-fed_1-", "make "));
      const answer = answers.shift() ?? null;
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
  });
  return { done, result };
}

test("searches first, and creates a missing object", async () => {
  assert.equal([await attempt([], { found: 0 }).result, await attempt(["made"]).result], ["found", "made"]);
});

test("uses the next key after a repeated failure and another search", async () => {
  const { done, result } = attempt([refusal("api_error", true), "made"]);
  assert.equal([await result, done], ["made", ["find", "make 1", "find", "make 2"]]);
  const worked = attempt([refusal("api_error", true)], { found: 1 });
  assert.equal([await worked.result, worked.done], ["found", ["find", "make 1", "find"]]);
});

test("uses the next key if the created object no longer exists", async () => {
  assert.is(await attempt([null, "made"]).result, "made");
});

test("throws a new failure", async () => {
  for (const error of [refusal("api_error", false), new TypeError("a bug")]) {
    const { done, result } = attempt([error]);
    assert.is(await rejection(result), error);
    assert.equal(done, ["find", "make 1"]);
  }
});

test("waits for another call with the same key before the next key, and can be aborted", async () => {
  const other = () => refusal("idempotency_error", false), caller = new AbortController();
  const { done, result } = attempt([other(), "doubled"], { settle: 2 ** 30, signal: caller.signal });
  const end = rejection(result);
  setTimeout(() => caller.abort(new Error("called off")));
  assert.is((await end).message, "called off");
  assert.equal(done, ["find", "make 1"]);
  assert.is(await attempt([other(), "made"], { settle: 1 }).result, "made");
});

test("throws if the provider only repeats failures", async () => {
  const { done, result } = attempt(Array.from({ length: 99 }, () => refusal("api_error", true)));
  assert.is((await rejection(result)).code, "replayed");
  assert.is(done.at(-1), "make 8");
});

test.run();
