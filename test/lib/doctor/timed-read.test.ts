import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import { createReadWithTimeout, readErrorMessage } from "#lib/doctor/timed-read.ts";
import { rejection } from "#test/support/until.ts";

const calm = new AbortController().signal;
const test = suite("createTimedRead");

test("returns the value, or the error with its hint", async () => {
  const timedRead = createReadWithTimeout(calm);
  assert.equal(await timedRead(() => Promise.resolve(5)), { value: 5 });
  const error = new ClusterError("Forbidden", "no", { transient: false, hint: "Ask." });
  assert.equal(await timedRead(() => Promise.reject(error)), { error: "no", hint: "Ask." });
});

test("does not wait for code that ignores its signal", async () => {
  let aborted = false;
  const reading = await createReadWithTimeout(calm, 50)((signal) => {
    signal.addEventListener("abort", () => aborted = true);
    return new Promise(() => {});
  });
  assert.equal([reading, aborted], [{ error: "no answer within 0.05 s", hint: undefined }, true]);
});

test("throws when cancelled", async () => {
  const stop = new AbortController();
  const looking = rejection(createReadWithTimeout(stop.signal)(() => new Promise(() => {})));
  stop.abort(new Error("enough"));
  assert.is((await looking).message, "enough");
  assert.is((await rejection(createReadWithTimeout(stop.signal)(() => Promise.resolve(1)))).message, "enough");
});

const words = suite("readErrorMessage");

words("returns the first message in the chain of causes", () => {
  const refused = Object.assign(new AggregateError([new Error("connect ECONNREFUSED")], ""), { code: "ECONNREFUSED" });
  assert.is(readErrorMessage(refused), "connect ECONNREFUSED");
  assert.is(readErrorMessage(new Error("", { cause: new Error("deep") })), "deep");
  const lost = Object.assign(new Error("lost; try again", { cause: new Error("no such user") }), {
    name: "ConnectionLost",
  });
  assert.is(readErrorMessage(lost), "no such user");
  assert.is(readErrorMessage(Object.assign(new Error(""), { code: "EPIPE" })), "EPIPE");
  assert.is(readErrorMessage("just text"), "just text");
  assert.not(readErrorMessage(new Error("once")).includes("at "), "no stack trace");
});

test.run();
words.run();
