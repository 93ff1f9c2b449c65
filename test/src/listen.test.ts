import { Server } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import * as v from "valibot";
import { publicAccess } from "#lib/domains/auth/access.ts";
import { type AnyEndpoint, endpoint } from "#lib/http/endpoint.ts";
import { eventStreamReply, okReply } from "#lib/http/reply.ts";
import type { EventStreamSource } from "#lib/http/sse.ts";
import { openTestHandler } from "#test/support/handler.ts";
import { openRawConnection } from "#test/support/socket.ts";

const test = suite("startHttpListener");
const Tick = v.object({ i: v.number() });
const host = "127.0.0.1";

function deferred() {
  let done = () => {};
  const promise = new Promise<void>((resolve) => done = resolve);
  return { promise, done };
}

/** Starts a server with an echo, a slow answer, and an endless stream. */
async function open(env: Record<string, string> = {}) {
  const slow = deferred(), reached = deferred(), ended = deferred(), aborted = deferred(), finish = deferred();
  const left = deferred();
  const base = { summary: "x", access: publicAccess, scope: "public" } as const;
  const echo = endpoint({
    ...base,
    body: v.object({ name: v.optional(v.string()) }),
    reply: okReply(v.any()),
    handle: ({ body, ip }) => ({ ...body, ip }),
  });
  const wait = endpoint({
    ...base,
    reply: okReply(v.any()),
    handle: async ({ signal }) => {
      signal.addEventListener("abort", aborted.done);
      reached.done();
      await Promise.race([slow.promise, aborted.promise]);
      return { done: true };
    },
  });
  const ticks: EventStreamSource<{ i: number }> = {
    async run(send) {
      await send({ event: "Tick", id: "1", data: { i: 1 } });
      const finishes = await Promise.race([finish.promise.then(() => true), left.promise.then(() => false)]);
      if (finishes) await send({ retry: 1000 });
      ended.done();
    },
    cancel: left.done,
  };
  const stream = endpoint({ ...base, reply: eventStreamReply(Tick), handle: () => ticks });
  const handler = await openTestHandler([
    ["/echo", { POST: echo as AnyEndpoint }],
    ["/wait", { GET: wait as AnyEndpoint }],
    ["/stream", { GET: stream as AnyEndpoint }],
  ], { env });
  const { port, closeAfterNextAnswer: leave, close } = await handler.server.listen({ host, port: 0 });
  return { ...handler, port, leave, close, url: `http://${host}:${port}`, slow, reached, ended, aborted, finish };
}

test("answers over a socket and reports the client's address", async () => {
  const { url, close } = await open();
  const json = { "content-type": "application/json" };
  const reply = await fetch(`${url}/echo`, { method: "POST", headers: json, body: '{"name":"oak"}' });
  assert.equal(await reply.json(), { name: "oak", ip: "127.0.0.1" });
  assert.match(reply.headers.get("x-request-id") ?? "", /^req_/);
  await close(0);
});

test("answers 413 before a large body has arrived, with or without Content-Length", async () => {
  const { port, close } = await open({ BODY_LIMIT_BYTES: "1024" });
  const head = "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";
  const withLength = openRawConnection(port);
  withLength.write(`${head}Content-Length: 1000000\r\n\r\n{`);
  assert.match(await withLength.received(/\r\n\r\n.*\}/s), /^HTTP\/1\.1 413 .*Connection: close.*"statusCode":413/is);
  const untold = openRawConnection(port);
  untold.write(`${head}Transfer-Encoding: chunked\r\n\r\n800\r\n${"x".repeat(2048)}\r\n`);
  assert.match(await untold.received(/\r\n\r\n.*\}/s), /^HTTP\/1\.1 413 /);
  await Promise.all([withLength.closed, untold.closed]);
  await close(0);
});

test("answers 400 with a JSON error for a Host header that forms no valid URL", async () => {
  const { port, close } = await open();
  const connection = openRawConnection(port);
  connection.write("GET /echo HTTP/1.1\r\nHost: a b\\c\r\nConnection: close\r\n\r\n");
  assert.match(await connection.closed, /^HTTP\/1\.1 400 .*"error":"Bad Request"/s);
  await close(0);
});

test("answers 400 for two Host headers", async () => {
  const { port, close } = await open();
  const connection = openRawConnection(port);
  connection.write("GET /nothing HTTP/1.1\r\nHost: x\r\nhost: y\r\n\r\n");
  assert.match(await connection.closed, /^HTTP\/1\.1 400 .*must have one Host header/s);
  await close(0);
});

test("rejects an unsupported expectation and closes the connection", async () => {
  const { port, close } = await open();
  const connection = openRawConnection(port);
  connection.write("GET /echo HTTP/1.1\r\nHost: x\r\nExpect: a-pony\r\n\r\n".repeat(20));
  assert.match(await connection.closed, /^HTTP\/1\.1 417 .*"code":"bad_expectation".*"error":"Expectation Failed"/s);
  await close(0);
});

test("closes a connection whose headers do not end", async () => {
  const { port, close } = await open();
  const connection = openRawConnection(port);
  connection.write("GET /echo HTTP/1.1\r\nHost: x\r\nX-Slow: ");
  assert.match(await connection.closed, /^HTTP\/1\.1 408 .*"code":"request_too_slow".*"error":"Request Timeout"/s);
  await close(0);
});

test("answers parser errors with 431 or 400 in JSON, and closes the connection", async () => {
  const { port, close } = await open();
  const large = openRawConnection(port), odd = openRawConnection(port);
  large.write(`GET /nothing HTTP/1.1\r\nHost: x\r\nX: ${"a".repeat(20_000)}\r\n\r\n`);
  odd.write("hello\r\n\r\n");
  assert.match(await large.closed, /^HTTP\/1\.1 431 .*Connection: close.*"statusCode":431,"code":"headers_too_large"/s);
  assert.match(await odd.closed, /^HTTP\/1\.1 400 .*Connection: close.*"statusCode":400,"code":"malformed_request"/s);
  await close(0);
});

test("never sends a parser error as the answer to an earlier request", async () => {
  const { port, close, reached } = await open();
  const connection = openRawConnection(port);
  connection.write("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n");
  await reached.promise;
  connection.write("hello\r\n\r\n");
  assert.is(await connection.closed, "");
  await close(0);
});

test("aborts the work when the client disconnects", async () => {
  const { port, close, reached, aborted } = await open();
  const connection = openRawConnection(port);
  connection.write("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n");
  await reached.promise;
  connection.socket.destroy();
  await aborted.promise;
  await close(0);
});

test("ends the source of a stream when its client disconnects", async () => {
  const { port, close, ended, url } = await open({ MAX_IN_FLIGHT: "1" });
  const connection = openRawConnection(port);
  connection.write("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n");
  assert.match(await connection.received(/"i":1/), /text\/event-stream/);
  assert.is((await fetch(`${url}/nothing`)).status, 404); // an open stream does not count as in flight
  connection.socket.destroy();
  await ended.promise;
  await close(0);
});

test("continues a stream after the request timeout", async () => {
  const { port, close, finish, url } = await open({ REQUEST_TIMEOUT_MS: "100" });
  const connection = openRawConnection(port);
  connection.write("GET /stream HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  await connection.received(/"i":1/);
  assert.is((await fetch(`${url}/wait`)).status, 504); // it began later, so the stream's time is over as well
  finish.done();
  assert.match(await connection.closed, "retry: 1000");
  await close(0);
});

test("close() refuses new connections, finishes running requests, and sends Connection: close", async () => {
  const { port, close, url, slow, reached } = await open();
  const connection = openRawConnection(port);
  connection.write("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n");
  await reached.promise;
  const closed = close(60_000);
  assert.is(await fetch(`${url}/nothing`).then(() => "answered", () => "refused"), "refused");
  slow.done();
  assert.match(await connection.closed, /^HTTP\/1\.1 200 .*Connection: close.*"done":true/is);
  await closed;
});

test("closeAfterNextAnswer() still answers requests, and then closes their connections", async () => {
  const { port, leave, close, slow, reached } = await open();
  const early = openRawConnection(port);
  early.write("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n");
  await reached.promise;
  leave();
  const late = openRawConnection(port);
  late.write("GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n");
  assert.match(await late.closed, /^HTTP\/1\.1 404 .*Connection: close/is);
  slow.done();
  assert.match(await early.closed, /^HTTP\/1\.1 200 .*Connection: close.*"done":true/is);
  await close(0);
});

test("close() does not wait for incomplete requests", async () => {
  const { port, close, url } = await open();
  const connection = openRawConnection(port);
  connection.write("GET /echo HTTP/1.1\r\nHost: x\r\n");
  await fetch(`${url}/nothing`); // by then the half request has come too
  await close(60_000);
  await connection.closed;
});

test("close() ends requests that exceed the grace period", async () => {
  const { port, close, ended } = await open();
  const connection = openRawConnection(port);
  connection.write("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n");
  await connection.received(/"i":1/);
  await close(10);
  await connection.closed;
  await ended.promise;
});

test("continues after connections that the system cannot accept", async () => {
  const { listen } = Server.prototype, listening: Server[] = [];
  Server.prototype.listen = function (this: Server, ...asked: unknown[]) {
    listening.push(this);
    return Reflect.apply(listen, this, asked);
  } as typeof listen;
  const { url, close } = await open().finally(() => Server.prototype.listen = listen);
  for (let i = 0; i < 3; i++) listening[0]!.emit("error", new Error("accept ENOBUFS"));
  assert.is((await fetch(`${url}/nothing`)).status, 404);
  await close(0);
});

test("fails if the address is in use", async () => {
  const { server, port, close } = await open();
  const error = await server.listen({ host, port }).then(() => null, (error) => error);
  assert.is(error.code, "EADDRINUSE");
  await close(0);
});

test.run();
