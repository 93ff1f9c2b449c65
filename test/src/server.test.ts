import { suite } from "uvu";
import * as assert from "uvu/assert";
import * as v from "valibot";
import { publicAccess, signedInAccess } from "#lib/domains/auth/access.ts";
import { type AnyEndpoint, endpoint } from "#lib/http/endpoint.ts";
import { okReply } from "#lib/http/reply.ts";
import { Fault } from "#lib/base/errors.ts";
import { manifest } from "#src/manifest.ts";
import { openTestHandler, type TestHandler } from "#test/support/handler.ts";

const test = suite("openServer");

function get(handle: AnyEndpoint["handle"], more: Partial<AnyEndpoint> = {}): AnyEndpoint {
  const declared = {
    summary: "Get",
    access: publicAccess,
    scope: "public",
    reply: okReply(v.object({ seen: v.any() })),
    handle,
  };
  return endpoint({ ...declared, ...more } as AnyEndpoint) as AnyEndpoint;
}

const open = (handle: AnyEndpoint["handle"], env: Record<string, string> = {}): Promise<TestHandler> =>
  openTestHandler([["/x", { GET: get(handle) }], ["/alive", { GET: get(() => ({ seen: 1 }), { probe: true }) }]], {
    env,
  });

test("uses the client's request ID if it is well formed, and creates one otherwise", async () => {
  const { send } = await open(() => ({ seen: 1 }));
  const idOf = async (id: string) =>
    (await send("/x", { headers: { "x-request-id": id } })).headers.get("x-request-id");
  assert.is(await idOf("trace-1.2_3"), "trace-1.2_3");
  for (const id of ["", "a b", "<script>", "x".repeat(129)]) assert.match(await idOf(id) ?? "", /^req_/);
});

test("sends the security headers with every answer, including errors", async () => {
  const { send } = await open(() => ({ seen: 1 }), { PUBLIC_URL: "https://hubs.example.org" });
  for (const path of ["/x", "/nothing"]) {
    const { headers } = await send(path);
    assert.is(headers.get("x-content-type-options"), "nosniff");
    assert.match(headers.get("content-security-policy") ?? "", "default-src 'none'");
    assert.is(headers.get("strict-transport-security"), "max-age=31536000");
    assert.match(headers.get("x-request-id") ?? "", /^req_/);
  }
});

test("logs one line per request with its route pattern, never its query", async () => {
  const { send, log } = await open(() => ({ seen: 1 }));
  const { headers } = await send("/x?token=secret");
  const line = log.find((entry) => entry.message === "GET /x");
  assert.is(line.status, 400); // it takes no such parameter
  assert.is(line.requestId, headers.get("x-request-id"));
  assert.is(typeof line.ms, "number");
  assert.not.match(JSON.stringify(log), "secret");
});

test("continues a valid trace of the client and logs its ID in each line", async () => {
  const { send, log } = await open(() => ({ seen: 1 }));
  const traceId = "0af7651916cd43dd8448eb211c80319c", good = `00-${traceId}-b7ad6b7169203331-01`;
  for (const traceparent of [good, good.toUpperCase(), `${good}, ${good}`, "x".repeat(5000)]) {
    assert.is((await send("/x", { headers: { traceparent, tracestate: "a".repeat(5000) } })).status, 200);
  }
  const ids = log.filter(({ message }) => message === "GET /x").map((line) => line.traceId);
  assert.is(ids[0], traceId);
  assert.is(new Set(ids).size, 4);
  for (const id of ids) assert.match(id, /^[0-9a-f]{32}$/);
});

test("logs the address and the reason only of rejected clients", async () => {
  const handle = ({ ip }: { ip: string }) => {
    if (ip === "192.0.2.9") throw new Fault("forbidden", "operator_only", "Only operators can perform this action");
    return { seen: 1 };
  };
  const { send, log } = await open(handle as AnyEndpoint["handle"]);
  await send("/x", {}, "192.0.2.8");
  await send("/x", {}, "192.0.2.9");
  const lines = log.filter((entry) => entry.message === "GET /x");
  assert.equal(lines.map(({ status, ip, refusal }) => [status, ip, refusal]), [
    [200, undefined, undefined],
    [403, "192.0.2.9", "operator_only"],
  ]);
});

test("answers an internal error with the request ID only, and logs the error", async () => {
  const { send, log } = await open(() => {
    throw new Error("duplicate key value violates users_email_key");
  });
  const { status, body, headers } = await send("/x");
  const message = `An internal error occurred; the request ID is ${headers.get("x-request-id")}`;
  assert.is(status, 500);
  assert.equal(body, { statusCode: 500, code: "internal_error", message, error: "Internal Server Error" });
  assert.match(JSON.stringify(log), "users_email_key");
});

test("answers a fault with its status, headers and retry time", async () => {
  const { send } = await open(() => {
    throw new Fault("unavailable", "busy", "Come back later", { retryAfter: 3.2, headers: { allow: "GET" } });
  });
  const { status, body, headers } = await send("/x");
  assert.is(status, 503);
  assert.equal(body, { statusCode: 503, code: "busy", message: "Come back later", error: "Service Unavailable" });
  assert.is(headers.get("retry-after"), "4");
  assert.is(headers.get("allow"), "GET");
});

test("refuses requests above the limit, but still answers probes", async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => release = resolve);
  const { send } = await open(() => held.then(() => ({ seen: 1 })), { MAX_IN_FLIGHT: "1" });
  const first = send("/x");
  const second = await send("/x");
  assert.is(second.status, 503);
  assert.ok(Number(second.headers.get("retry-after")) >= 1);
  assert.is((await send("/alive")).status, 200);
  release();
  assert.is((await first).status, 200);
  assert.is((await send("/x")).status, 200);
});

test("accepts sign-ins while other requests have reached their limit", async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => release = resolve);
  const flow = get(() => ({ seen: 1 }), { scope: "flow" });
  const { send } = await openTestHandler([["/x", { GET: get(() => held.then(() => ({ seen: 1 }))) }], ["/in", {
    GET: flow,
  }]], {
    env: { MAX_IN_FLIGHT: "1" },
  });
  const first = send("/x");
  assert.is((await send("/x")).status, 503);
  assert.is((await send("/in")).status, 200);
  release();
  await first;
});

test("neither counts nor authenticates a request before its body has arrived", async () => {
  const post = get(({ body }) => ({ seen: body }), { body: v.object({}), scope: "cli", access: signedInAccess });
  const { server, send } = await openTestHandler([["/x", { POST: post, GET: get(() => ({ seen: 1 })) }]], {
    env: { MAX_IN_FLIGHT: "1" },
  });
  const rest = Promise.withResolvers<void>();
  const body = new ReadableStream({
    async pull(controller) {
      await rest.promise;
      controller.enqueue(new TextEncoder().encode("{}"));
      controller.close();
    },
  });
  const headers = { "content-type": "application/json", authorization: "Bearer nonsense" };
  const slow = server.request(
    new Request("http://localhost/x", { method: "POST", headers, body, duplex: "half" } as RequestInit),
  );
  assert.is((await send("/x")).status, 200);
  rest.resolve();
  assert.is((await slow).status, 401);
});

test("counts a request until its answer is sent", async () => {
  const { server } = await open(() => ({ seen: 1 }), { MAX_IN_FLIGHT: "1" });
  const sent = Promise.withResolvers<void>();
  const send = () => server.request(new Request("http://localhost/x"), { address: "192.0.2.1", sent: sent.promise });
  assert.is((await send()).status, 200);
  assert.is((await send()).status, 503);
  sent.resolve();
  await sent.promise;
  assert.is((await send()).status, 200);
});

test("runs the readiness checks once for simultaneous probes", async () => {
  let checkCount = 0;
  const checks = [{ name: "thing", passes: () => Promise.resolve(++checkCount > 0) }];
  const ready = manifest.filter(([pattern]) => pattern === "/api/readyz");
  const { send } = await openTestHandler(ready, { checks, env: { MAX_IN_FLIGHT: "1" } });
  const answers = await Promise.all(Array.from({ length: 100 }, () => send("/api/readyz")));
  assert.equal([...new Set(answers.map(({ status }) => status))], [200]);
  assert.is(checkCount, 1);
  await send("/api/readyz");
  assert.is(checkCount, 2);
});

test("answers 504 after the time limit, and aborts the work", async () => {
  const reasons: unknown[] = [];
  const handle: AnyEndpoint["handle"] = ({ signal }) =>
    new Promise((_, reject) => {
      signal.addEventListener("abort", () => {
        reasons.push(signal.reason);
        reject(new Error("cancelled"));
      });
    });
  const { send, log } = await open(handle, { REQUEST_TIMEOUT_MS: "100" });
  const { status, body } = await send("/x");
  assert.is(status, 504);
  assert.is(body.message, "The request took longer than the limit of 0.1 s; retry later");
  assert.is(reasons.length, 1);
  assert.is(log.filter((entry) => entry.level === "error").length, 0);
});

test("aborts the work when the client disconnects, without reporting a failure", async () => {
  const client = new AbortController();
  const handle: AnyEndpoint["handle"] = ({ signal }) =>
    new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(new Error("cancelled")));
      client.abort();
    });
  const { send, log } = await open(handle);
  assert.is((await send("/x", { signal: client.signal })).status, 499);
  assert.is(log.filter((entry) => entry.level === "error").length, 0);
});

test("passes the client's address behind trusted proxies to the handler", async () => {
  const { send } = await open(({ ip }) => ({ seen: ip }), { TRUSTED_PROXIES: "10.0.0.0/8" });
  const headers = { "x-forwarded-for": "198.51.100.1" };
  assert.is((await send("/x", { headers }, "10.0.0.9")).body.seen, "198.51.100.1");
  assert.is((await send("/x", { headers }, "203.0.113.7")).body.seen, "203.0.113.7");
});

test.run();
