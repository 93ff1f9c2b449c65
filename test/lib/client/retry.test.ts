import { suite } from "uvu";
import * as assert from "uvu/assert";
import { connect, type ConnectOptions } from "#lib/client/client.ts";
import { answer, hasty, openPuppet, refused } from "#test/lib/client/stage.ts";

const test = suite("sendWithRetries");

const ME = answer("200 OK", '{"user": {"id": "usr_1"}}');

/** A response with a Wheelwright error. */
function problem(status: string, code: string, headers: readonly string[] = []): string {
  const statusCode = Number(status.slice(0, 3));
  return answer(status, JSON.stringify({ statusCode, code, message: "Not now", error: status.slice(4) }), headers);
}

const SHED = problem("503 Service Unavailable", "overloaded", ["retry-after: 2"]);
const UNDECIDED = problem("503 Service Unavailable", "commit_unknown", ["retry-after: 1"]);
const SLOW = problem("504 Gateway Timeout", "too_slow", ["retry-after: 5"]);
const LIMITED = problem("429 Too Many Requests", "too_many_tries", ["retry-after: 12"]);
const HALF = ME.slice(0, -9);

/** Answers the client with these responses. Returns its requests and its waits. */
async function meet(answers: readonly string[], options: Partial<ConnectOptions> = {}) {
  const puppet = await openPuppet(answers), waits: number[] = [];
  const client = connect({ url: puppet.url, ...hasty, onRetry: ({ wait }) => void waits.push(wait), ...options });
  return { client, waits, asked: puppet.asked, close: puppet.close };
}

test("retries shed requests after Retry-After", async () => {
  const { client, waits, asked, close } = await meet([SHED, LIMITED, SLOW, ME]);
  assert.is((await client.getMe()).user.id, "usr_1");
  assert.is(asked.length, 4);
  assert.ok(waits[0]! >= 2000 && waits[1]! >= 12_000 && waits[2]! >= 5000, waits.join());
  await close();
});

test("uses exponential backoff with jitter without Retry-After", async () => {
  const plain = answer("502 Bad Gateway", "<html>");
  const all = async (random: number) => {
    const { client, waits, close } = await meet(Array(7).fill(plain), { maxAttempts: 7, random: () => random });
    await refused(client.getMe());
    await close();
    return waits;
  };
  assert.equal(await all(0), [250, 500, 1000, 2000, 4000, 5000]);
  assert.equal(await all(1), [500, 1000, 2000, 4000, 8000, 10_000]);
});

test("rejects with the last error after the maximum number of attempts", async () => {
  const { client, asked, close } = await meet([SLOW, SLOW, SHED, ME], { maxAttempts: 3 });
  const error = await refused(client.getMe());
  assert.equal([error.statusCode, error.code, error.retryAfter, asked.length], [503, "overloaded", 2, 3]);
  await close();
});

test("does not wait longer than the timeout of the call", async () => {
  const { client, waits, close } = await meet([LIMITED, ME], { timeout: 10_000 });
  assert.is((await refused(client.getMe())).retryAfter, 12);
  assert.equal(waits, []);
  await close();
});

test("repeats a request whose response is incomplete", async () => {
  const { client, asked, close } = await meet([HALF, "HTTP/1.1 200", "", ME]);
  assert.is((await client.getMe()).user.id, "usr_1");
  assert.is(asked.length, 4);
  await close();
});

test("sends the same Idempotency-Key with each attempt, and another for another call", async () => {
  const made = answer("201 Created", "{}"), key = /idempotency-key: (\S+)/i;
  const { client, asked, close } = await meet([HALF, UNDECIDED, SLOW, made, made, made]);
  await client.createFederation({ slug: "north" });
  await client.createFederation({ slug: "south" });
  await client.createFederation({ slug: "east" }, { idempotencyKey: "mine" });
  const [one, two, three, four, other, own] = asked.map((head) => key.exec(head)?.[1]);
  assert.ok(one && other && one !== other);
  assert.equal([two, three, four, own], [one, one, one, "mine"]);
  await close();
});

test("does not repeat a POST without a key that may have been processed", async () => {
  const ways: [string, string][] = [[HALF, "unreachable"], [UNDECIDED, "commit_unknown"], [SLOW, "too_slow"]];
  for (const [first, code] of ways) {
    const { client, asked, close } = await meet([first, answer("202 Accepted", "{}")]);
    const error = await refused(client.actOnSpoke({ spokeId: "spk_1" }, { action: "backup" }));
    assert.equal([error.code, asked.length], [code, 1]);
    await close();
  }
});

test("repeats a POST without a key that the server refused unprocessed", async () => {
  const { client, asked, close } = await meet([SHED, LIMITED, answer("202 Accepted", "{}")]);
  await client.actOnSpoke({ spokeId: "spk_1" }, { action: "backup" });
  assert.is(asked.length, 3);
  await close();
});

test("treats 404 of a repeated DELETE as success", async () => {
  const gone = problem("404 Not Found", "token_missing");
  const { client, asked, close } = await meet([HALF, gone, gone]);
  assert.is(await client.deleteToken({ tokenId: "tok_1" }), undefined);
  assert.is((await refused(client.deleteToken({ tokenId: "tok_1" }))).code, "token_missing");
  assert.is(asked.length, 3);
  await close();
});

test("does not retry a permanent error", async () => {
  for (const status of ["400 Bad Request", "401 Unauthorized", "409 Conflict", "500 Internal Server Error"]) {
    const { client, asked, close } = await meet([problem(status, "no"), ME]);
    assert.is((await refused(client.getMe())).code, "no");
    assert.is(asked.length, 1);
    await close();
  }
});

test("rejects with the signal's reason during a wait", async () => {
  const abort = new AbortController();
  const { client, close } = await meet([SHED, ME], {
    pause: undefined,
    onRetry: () => abort.abort(new Error("enough")),
  });
  const error = await client.getMe({ signal: abort.signal }).catch((error: unknown) => error);
  assert.is((error as Error).message, "enough");
  const before = await client.getMe({ signal: abort.signal }).catch((error: unknown) => error);
  assert.is(before, error);
  await close();
});

test.run();
