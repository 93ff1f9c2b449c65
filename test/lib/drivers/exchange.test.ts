import type { RequestOptions } from "node:https";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { runInContext } from "#lib/base/work-context.ts";
import { startSpanContext } from "#lib/base/trace.ts";
import { exchangeError } from "#lib/drivers/cluster/client/failures.ts";
import { exchange } from "#lib/drivers/exchange.ts";
import {
  failureOf,
  GET_REQUEST,
  PATCH_REQUEST,
  respondOnceThen,
  UNCANCELLED,
  withServer,
} from "#test/support/kube/api.ts";
import { answer, respondWithError } from "#test/support/kube/server.ts";

const test = suite("exchange, openStream");

test("a DELETE tells the length of its body, so that the connection stays of use", () =>
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

test("who is asked is told what it becomes part of, if something is under way", () =>
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

test("an answer that stops in the middle is repeated", () =>
  withServer(
    respondOnceThen((_asked, response, socket) => {
      response.writeHead(200, { "content-length": "100" });
      response.write('{"items": [', () => socket.destroy());
    }),
    async (api) => assert.equal((await api.call(GET_REQUEST, UNCANCELLED)).body, { fine: true }),
  ));

test("a server that never answers costs no more than the deadline", () =>
  withServer(() => {}, async (api) => {
    const { code, transient } = await failureOf(api.call(GET_REQUEST, UNCANCELLED));
    assert.equal([code, transient], ["deadline", true]);
  }, { deadline: 150 }));

test("a server that stops after the headers costs no more than the deadline", () =>
  withServer((_asked, response) => {
    response.writeHead(200);
    response.write("{");
  }, async (api) =>
    assert.is((await failureOf(api.call(GET_REQUEST, UNCANCELLED))).code, "deadline"), { deadline: 150 }));

test("a call that is called off rejects with the reason", () =>
  withServer((asked) => asked.path === "/hang" && controller.abort(reason), async (api) => {
    const error = await api.call({ ...GET_REQUEST, path: "/hang" }, controller).then(() => null, (error) => error);
    assert.is(error, reason);
  }));
const controller = new AbortController();
const reason = new Error("called off");

test("what is called off on a connection that was used before is not sent again", () => {
  const stop = new AbortController(), count = 3;
  let held = 0;
  return withServer((asked, response) => {
    if (asked.method === "GET") answer(response, 200, {});
    else if (++held === count) stop.abort(reason);
  }, async (api, server) => {
    await Promise.all(Array.from({ length: count }, () => api.call(GET_REQUEST, UNCANCELLED)));
    const calls = Array.from({ length: count }, () => api.call(PATCH_REQUEST, stop).catch((error) => error));
    assert.ok((await Promise.all(calls)).every((error) => error === reason));
    for (let i = 0; i < 20; i++) await api.call(GET_REQUEST, UNCANCELLED); // by then every started request has arrived
    assert.is(server.requests.filter(({ method }) => method === "PATCH").length, count);
  });
});

test("whether its caller still may is asked when the connection stands, and of who may not nothing is sent", () =>
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
    const limits = { deadline: 10_000, signals: [], fail: exchangeError };
    const call = { method: "POST", url, headers: {}, body: "{}", options, ...limits };
    assert.is(await exchange({ ...call, check }).catch((error) => error), reason);
    assert.is(server.requests.length, 0);
    assert.is((await exchange(call)).status, 200);
    assert.is(server.requests.length, 1);
  }));

test("whether its caller still may is asked anew for each request of a call", () => {
  let asked = 0;
  const call = { signal: UNCANCELLED.signal, check: () => void asked++ };
  return withServer(respondOnceThen((_asked, _response, socket) => socket.destroy()), async (api, server) => {
    await api.call(GET_REQUEST, call);
    assert.equal([asked, server.requests.length], [2, 2]);
  });
});

test("a stream comes as it is sent, and ends", () =>
  withServer((_asked, response) => {
    response.write("one ");
    setTimeout(() => response.end("two"), 10);
  }, async (api) => {
    const stream = await api.stream("/log", {}, UNCANCELLED);
    const chunks = await Array.fromAsync(stream.chunks);
    assert.is(Buffer.concat(chunks).toString(), "one two");
  }));

test("a stream that is called off ends at once, and so does its connection", () => {
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

test("a stream that breaks off says so", () =>
  withServer((_asked, response, socket) => {
    response.writeHead(200);
    response.write("one ", () => setTimeout(() => socket.destroy(), 10));
  }, async (api) => {
    const stream = await api.stream("/log", {}, UNCANCELLED);
    assert.ok((await failureOf(Array.fromAsync(stream.chunks))).transient);
  }));

test("a stream that nobody reads on lets go of its connection", () => {
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

test("a stream that is refused throws the refusal", () =>
  withServer(
    (_asked, response) => respondWithError(response, 400, "BadRequest", 'container "m" in pod "p" is waiting to start'),
    async (api) => assert.match((await failureOf(api.stream("/log", {}, UNCANCELLED))).message, /waiting to start/),
  ));

test.run();
