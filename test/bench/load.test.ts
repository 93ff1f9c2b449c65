import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createResponseReader } from "#test/bench/connection.ts";
import { runClosed, runOpen, sendOnce, withConnections } from "#test/bench/load.ts";
import { parseStat } from "#test/bench/processor.ts";

const test = suite("load generator");
const REQUEST = Buffer.from("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n");
const accepting = { next: () => REQUEST, check: () => {} };

async function serving<T>(listener: RequestListener, work: (port: number) => Promise<T>): Promise<T> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    return await work((server.address() as AddressInfo).port);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test("reads complete responses in any fragmentation, with a length or in chunks", () => {
  const complete = Buffer.from("HTTP/1.1 201 Created\r\nContent-Length: 5\r\n\r\nhello");
  const chunked = Buffer.from("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n");
  for (const [answer, status] of [[complete, 201], [chunked, 200]] as const) {
    for (let cut = 1; cut < answer.length; cut++) {
      const read = createResponseReader();
      assert.is(read(answer.subarray(0, cut)), null);
      const reply = read(answer.subarray(cut))!;
      assert.equal([reply.status, reply.body.toString()], [status, "hello"]);
    }
  }
});

test("a closed loop keeps one request per connection in progress, and ends by count", async () => {
  let now = 0, most = 0, total = 0;
  const answered = await serving((_, response) => {
    most = Math.max(most, ++now);
    total++;
    setImmediate(() => (now--, response.end("{}")));
  }, (port) =>
    withConnections(
      port,
      3,
      (connections) => runClosed(connections, { ms: 60_000, requests: 30 }, accepting),
    ));
  assert.ok(most <= 3, `${most} at once`);
  assert.ok(total >= 30 && total <= 32, `${total} in all`);
  assert.is(answered.requests, total);
});

test("an open loop counts a stall against all requests that were due during it", async () => {
  let stalled = false;
  const waited = await serving((_, response) => {
    if (stalled) return void response.end("{}");
    stalled = true;
    setTimeout(() => response.end("{}"), 200);
  }, (port) => withConnections(port, 1, (connections) => runOpen(connections, { rate: 100, ms: 300 }, accepting)));
  assert.is(waited.length, 30);
  // The first response is late by 200 ms, the next by 190 …. Without the correction, only the first would be late.
  assert.ok(waited.filter((ms) => ms > 95).length >= 10, waited.join());
});

test("a wrong response or a lost connection ends the measurement", async () => {
  const check = ({ status }: { readonly status: number }) => {
    if (status !== 200) throw new Error(`It answered ${status}`);
  };
  const failing = await serving(
    (_, response) => void response.writeHead(500).end(),
    (port) =>
      withConnections(
        port,
        2,
        (connections) => runClosed(connections, { ms: 60_000 }, { ...accepting, check }).then(() => "", String),
      ),
  );
  assert.match(failing, /It answered 500/);
  const lost = (work: (port: number) => Promise<unknown>) =>
    serving((_, response) => void response.destroy(), (port) => work(port).then(() => "", String));
  assert.match(await lost((port) => sendOnce(port, REQUEST)), /closed a connection/);
  assert.match(
    await lost((port) => withConnections(port, 2, (all) => runClosed(all, { ms: 60_000 }, accepting))),
    /closed a connection/,
  );
});

test("parseStat reads CPU time after a process name with spaces and brackets", () => {
  const stat = "42 (a (b) c) S 7 42 42 0 -1 4194304 1 2 3 4 250 50 30 10 20 0 11 0 5000 1 2";
  assert.equal(parseStat(stat), { parent: 7, own: 3000, ended: 400 });
});

test.run();
