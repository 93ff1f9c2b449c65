import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type MetricsServerOptions, type MetricsText, startMetricsServer } from "#lib/metrics/server.ts";
import { openRawConnection } from "#test/support/socket.ts";
import { rejection } from "#test/support/until.ts";

const test = suite("startMetricsServer");
const host = "127.0.0.1";

async function open(page: Partial<MetricsText> = {}, address: Partial<MetricsServerOptions> = {}) {
  const defaults = { contentType: "text/plain; version=0.0.4", text: () => Promise.resolve("up 1\n"), ...page };
  const { port, close } = await startMetricsServer(defaults, { host, port: 0, ...address });
  return { port, close, url: `http://${host}:${port}` };
}

test("answers only GET and HEAD of /metrics", async () => {
  const { url, close } = await open();
  const ask = async (path: string, method = "GET") => {
    const reply = await fetch(url + path, { method });
    return [reply.status, reply.headers.get("content-type"), reply.headers.get("allow"), await reply.text()];
  };
  const plain = "text/plain; charset=utf-8";
  assert.equal(await ask("/metrics"), [200, "text/plain; version=0.0.4", null, "up 1\n"]);
  assert.equal(await ask("/metrics?name=x"), [200, "text/plain; version=0.0.4", null, "up 1\n"]);
  assert.equal(await ask("/metrics", "HEAD"), [200, "text/plain; version=0.0.4", null, ""]);
  for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) {
    assert.equal(await ask("/metrics", method), [405, plain, "GET, HEAD", "This path supports only GET, HEAD\n"]);
  }
  for (const path of ["/", "/metrics/", "/api/readyz", "/metrics%2f", "//metrics"]) {
    assert.equal(await ask(path), [404, plain, null, "Not found: the only path on this port is /metrics\n"], path);
  }
  await close();
});

test("renders the page at most once a second", async () => {
  let made = 0;
  const { url, close } = await open({ text: () => Promise.resolve(`made ${++made}\n`) });
  const replies = await Promise.all(Array.from({ length: 10 }, () => fetch(`${url}/metrics`).then((it) => it.text())));
  assert.equal([...new Set(replies)], ["made 1\n"]);
  await close();
});

test("closes connections with incomplete requests or unread responses", async () => {
  const { port, close } = await open({ text: () => Promise.resolve("x".repeat(2 ** 24)) }, { connectionLifetime: 300 });
  const deaf = openRawConnection(port);
  deaf.socket.pause();
  deaf.write("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
  await new Promise((resolve) => deaf.socket.once("connect", resolve));
  const half = openRawConnection(port);
  half.write("GET /metrics HTTP/1.1\r\nHost: x\r\n");
  assert.is(await half.closed, ""); // this connection is newer, so the other one has timed out as well
  deaf.socket.resume();
  assert.ok((await deaf.closed).length < 2 ** 24, "the response was not sent completely");
  await close();
});

test("survives invalid HTTP and endless headers", async () => {
  const { url, port, close } = await open();
  for (
    const text of ["\0\0\0\0\r\n\r\n", "GET /metrics\r\n\r\n", `GET / HTTP/1.1\r\nx: ${"y".repeat(100_000)}\r\n\r\n`]
  ) {
    const connection = openRawConnection(port);
    connection.write(text);
    await connection.closed;
  }
  assert.is((await fetch(`${url}/metrics`)).status, 200);
  await close();
});

test("limits connections, and accepts new ones when others end", async () => {
  const { url, port, close } = await open();
  const idle = Array.from({ length: 32 }, () => openRawConnection(port));
  await Promise.all(idle.map(({ socket }) => new Promise((resolve) => socket.once("connect", resolve))));
  const turnedAway = openRawConnection(port);
  assert.is(await turnedAway.closed, "");
  for (const { socket } of idle) socket.destroy();
  await Promise.all(idle.map(({ closed }) => closed));
  assert.is((await fetch(`${url}/metrics`)).status, 200);
  await close();
});

test("closes the connection if rendering fails, and keeps running", async () => {
  let fails = true;
  const { url, close } = await open({
    text: () => fails ? Promise.reject(new Error("no")) : Promise.resolve("fine\n"),
  });
  await rejection(fetch(`${url}/metrics`));
  fails = false;
  assert.is(await (await fetch(`${url}/metrics`)).text(), "fine\n");
  await close();
});

test.run();
