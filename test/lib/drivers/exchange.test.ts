import type { RequestOptions } from "node:https";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { runInContext } from "#lib/base/work-context.ts";
import { startSpanContext } from "#lib/base/trace.ts";
import { createConnectionError } from "#lib/drivers/cluster/client/failures.ts";
import { sendHttpRequest } from "#lib/drivers/exchange.ts";
import {
  failureOf,
  GET_REQUEST,
  PATCH_REQUEST,
  respondOnceThen,
  UNCANCELLED,
  withServer,
} from "#test/support/kube/api.ts";
import { answer, respondWithError } from "#test/support/kube/server.ts";

const test = suite("exchange and openStream");

test("sends the length of a DELETE's body", () =>
  withServer((_asked, response) => answer(response, 200, {}), async (api, server) => {
    await api.call(
      { method: "DELETE", path: "/x", body: { preconditions: { uid: "ü" } }, repeat: "safe" },
      UNCANCELLED,
    );
    await api.call(GET_REQUEST, UNCANCELLED);
    const [first, second] = server.requests;
    assert.is(first!.headers["content-length"], String(new TextEncoder().encode(first!.body).length));
    assert.is(first!.headers["transfer-encoding"], undefined);
    assert.is(second!.reused, 1);
  }));

test("sends the caller's trace headers", () =>
  withServer((_asked, response) => answer(response, 200, {}), async (api, server) => {
    const root = startSpanContext(
      { traceId: "a".repeat(32), spanId: "b".repeat(16), sampled: false, state: "x=1" },
      () => false,
    );
    await runInContext({ rootSpan: root, logFields: {} }, () => api.call(GET_REQUEST, UNCANCELLED));
    await api.call(GET_REQUEST, UNCANCELLED);
    const [first, second] = server.requests.map(({ headers }) => [headers.traceparent, headers.tracestate]);
    assert.equal(first, [`00-${root.traceId}-${root.spanId}-00`, "x=1"]);
    assert.equal(second, [undefined, undefined]);
  }));

test("repeats a call whose response is incomplete", () =>
  withServer(
    respondOnceThen((_asked, response, socket) => {
      response.writeHead(200, { "content-length": "100" });
      response.write('{"items": [', () => socket.destroy());
    }),
    async (api) => assert.equal((await api.call(GET_REQUEST, UNCANCELLED)).body, { fine: true }),
  ));

test("times out if the server never answers", () =>
  withServer(() => {}, async (api) => {
    const { code, transient } = await failureOf(api.call(GET_REQUEST, UNCANCELLED));
    assert.equal([code, transient], ["deadline", true]);
  }, { deadline: 150 }));

test("times out if the server stops after the headers", () =>
  withServer((_asked, response) => {
    response.writeHead(200);
    response.write("{");
  }, async (api) =>
    assert.is((await failureOf(api.call(GET_REQUEST, UNCANCELLED))).code, "deadline"), { deadline: 150 }));

test("rejects with the abort reason", () =>
  withServer((checks) => checks.path === "/hang" && controller.abort(reason), async (api) => {
    const error = await api.call({ ...GET_REQUEST, path: "/hang" }, controller).then(() => null, (error) => error);
    assert.is(error, reason);
  }));
const controller = new AbortController();
const reason = new Error("called off");

test("does not resend an aborted call on a reused connection", () => {
  const stop = new AbortController(), count = 3;
  let held = 0;
  return withServer((checks, response) => {
    if (checks.method === "GET") answer(response, 200, {});
    else if (++held === count) stop.abort(reason);
  }, async (api, server) => {
    await Promise.all(Array.from({ length: count }, () => api.call(GET_REQUEST, UNCANCELLED)));
    const calls = Array.from({ length: count }, () => api.call(PATCH_REQUEST, stop).catch((error) => error));
    assert.ok((await Promise.all(calls)).every((error) => error === reason));
    for (let i = 0; i < 20; i++) await api.call(GET_REQUEST, UNCANCELLED); // by then every started request has arrived
    assert.is(server.requests.filter(({ method }) => method === "PATCH").length, count);
  });
});

test("runs the check once connected, and sends nothing if it throws", () =>
  withServer((_asked, response) => answer(response, 200, {}), async (_api, server) => {
    let stopped = false;
    const options: RequestOptions = {
      // Like a process that is stopped while it connects and does not notice it.
      lookup: (_host, _options, found) => {
        stopped = true;
        found(null, [{ address: "127.0.0.1", family: 4 }]);
      },
    };
    const check = () => {
      if (stopped) throw reason;
    };
    const url = new URL(server.url);
    url.hostname = "localhost";
    const limits = { deadline: 10_000, signals: [], fail: createConnectionError };
    const call = { method: "POST", url, headers: {}, body: "{}", options, ...limits };
    assert.is(await sendHttpRequest({ ...call, check }).catch((error) => error), reason);
    assert.is(server.requests.length, 0);
    assert.is((await sendHttpRequest(call)).status, 200);
    assert.is(server.requests.length, 1);
  }));

test("runs the check for each request of a call", () => {
  let checks = 0;
  const call = { signal: UNCANCELLED.signal, check: () => void checks++ };
  return withServer(respondOnceThen((_asked, _response, socket) => socket.destroy()), async (api, server) => {
    await api.call(GET_REQUEST, call);
    assert.equal([checks, server.requests.length], [2, 2]);
  });
});

test("yields a stream as it is sent", () =>
  withServer((_asked, response) => {
    response.write("one ");
    setTimeout(() => response.end("two"), 10);
  }, async (api) => {
    const stream = await api.stream("/log", {}, UNCANCELLED);
    const chunks = await Array.fromAsync(stream.chunks);
    assert.is(Buffer.concat(chunks).toString(), "one two");
  }));

test("closes an aborted stream and its connection immediately", () => {
  const gone = Promise.withResolvers<void>();
  return withServer((_asked, response, socket) => {
    socket.on("close", () => gone.resolve());
    response.write("one ");
  }, async (api) => {
    const stop = new AbortController();
    const stream = await api.stream("/log", {}, stop);
    const error = await (async () => {
      for await (const _chunk of stream.chunks) stop.abort(reason);
    })().then(() => null, (error) => error);
    assert.is(error, reason);
    await gone.promise;
  });
});

test("throws if a stream is interrupted", () =>
  withServer((_asked, response, socket) => {
    response.writeHead(200);
    response.write("one ", () => setTimeout(() => socket.destroy(), 10));
  }, async (api) => {
    const stream = await api.stream("/log", {}, UNCANCELLED);
    assert.ok((await failureOf(Array.fromAsync(stream.chunks))).transient);
  }));

test("closes the connection of a stream that is no longer read", () => {
  const gone = Promise.withResolvers<void>();
  return withServer((_asked, response, socket) => {
    socket.on("close", () => gone.resolve());
    response.write("one ");
  }, async (api) => {
    const stream = await api.stream("/log", {}, UNCANCELLED);
    for await (const _chunk of stream.chunks) break;
    await gone.promise;
  });
});

test("throws the error response of a refused stream", () =>
  withServer(
    (_asked, response) => respondWithError(response, 400, "BadRequest", 'container "m" in pod "p" is waiting to start'),
    async (api) => assert.match((await failureOf(api.stream("/log", {}, UNCANCELLED))).message, /waiting to start/),
  ));

test.run();
