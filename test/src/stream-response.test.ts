/** Tests streamed bodies over real sockets. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { BodyStream, HttpResponse } from "#lib/http/response.ts";
import { type HttpListener, startHttpListener } from "#src/listen.ts";
import { openRawConnection } from "#test/support/socket.ts";
import { until } from "#test/support/until.ts";

const test = suite("streamBody");

const opened: (() => Promise<void>)[] = [];
const bytes = (text: string) => new TextEncoder().encode(text);

interface Setting {
  readonly patience?: number;
  /** The body of the answer to /slow. */
  readonly slow?: Promise<string>;
  /** Runs before the answer to /flow. */
  readonly before?: () => Promise<void>;
}

/** Starts a server that answers /flow with this body, and connects to the server. */
async function open(run: BodyStream["run"], { patience: readTimeout = 60_000, slow, before }: Setting = {}) {
  const cancelled = Promise.withResolvers<void>(), flow: BodyStream = { run, cancel: cancelled.resolve };
  const answer = async (request: Request): Promise<HttpResponse> => {
    const body = request.url.endsWith("/slow") ? await slow! : flow;
    await before?.();
    return { status: 200, headers: { "content-type": "text/plain" }, body };
  };
  const bounds = { maxConnections: 10, requestTimeout: 60_000, readTimeout, checkInterval: 10 };
  const server: HttpListener = await startHttpListener(answer, { host: "127.0.0.1", port: 0 }, bounds);
  const connection = openRawConnection(server.port);
  opened.push(async () => {
    connection.socket.destroy();
    await server.close(0);
  });
  return { connection, cancelled: cancelled.promise };
}

test.after.each(async () => {
  for (const close of opened.splice(0)) await close();
});

const GET = "GET /flow HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

test("pauses the source for a slow client, and delivers all bytes", async () => {
  const block = bytes("y".repeat(65_536)), count = 400;
  let written = 0, waits = 0;
  const { connection } = await open(async (write) => {
    for (; written < count; written++) {
      const room = write(block);
      if (room) waits++;
      await room;
    }
  });
  connection.socket.pause();
  connection.write(GET);
  const held = await until(() => waits > 0 && written);
  assert.ok(held < count, "the source was not held up");
  connection.socket.resume();
  const text = await connection.closed;
  assert.is(text.slice(text.indexOf("\r\n\r\n")).match(/y/g)!.length, count * block.length);
  assert.match(text.slice(-5), "0\r\n\r\n");
});

test("disconnects a client that reads nothing for too long, and ends the source", async () => {
  const block = bytes("y".repeat(65_536)), over = Promise.withResolvers<void>();
  const { connection, cancelled } = await open(async (write) => {
    for (let gone = false; !gone;) await Promise.race([write(block), over.promise.then(() => gone = true)]);
  }, { patience: 50 });
  connection.socket.pause();
  connection.write(GET);
  await cancelled;
  over.resolve();
});

test("keeps a client that has read everything, however long the source is idle", async () => {
  const go = Promise.withResolvers<void>(), taken = Promise.withResolvers<number>();
  let waits = 0;
  const { connection, cancelled } = await open(async (write) => {
    for (let i = 0; i < 100; i++) {
      const room = write(bytes("y".repeat(65_536)));
      if (room) waits++;
      await room;
    }
    taken.resolve(waits);
    await go.promise;
    await write(bytes("the end"));
  }, { patience: 1000 });
  connection.write(GET);
  assert.ok(await taken.promise > 0, "it never had to take anything");
  const other = openRawConnection(connection.socket.remotePort!);
  other.socket.pause();
  other.write(GET);
  await cancelled; // who takes nothing is cut meanwhile
  other.socket.destroy();
  go.resolve();
  assert.match(await connection.closed, "the end");
});

test("closes the connection without a final chunk if the source fails", async () => {
  const { connection } = await open(async (write) => {
    await write(bytes("one"));
    throw new Error("The database is gone");
  });
  connection.write(GET);
  const text = await connection.closed;
  assert.match(text, /\r\n\r\n3\r\none\r\n$/);
});

test("sends the answers to earlier requests first", async () => {
  const slow = Promise.withResolvers<string>(), begun = Promise.withResolvers<void>();
  const { connection } = await open(async (write) => {
    await write(bytes("first"));
    begun.resolve();
    await slow.promise;
    await write(bytes("second"));
  }, { slow: slow.promise });
  connection.write(`GET /slow HTTP/1.1\r\nHost: x\r\n\r\n${GET}`);
  await begun.promise;
  slow.resolve("the slow answer");
  assert.match(await connection.closed, /the slow answer.*5\r\nfirst\r\n6\r\nsecond\r\n0\r\n\r\n$/s);
});

test("sends unchunked bytes to an HTTP/1.0 client", async () => {
  const { connection } = await open(async (write) => {
    await write(bytes("one "));
    await write(bytes("two"));
  });
  connection.write("GET /flow HTTP/1.0\r\nHost: x\r\n\r\n");
  assert.match(await connection.closed, /\r\n\r\none two$/);
});

test("ends the source if the client has already disconnected", async () => {
  const requested = Promise.withResolvers<void>(), late = Promise.withResolvers<void>();
  const { connection, cancelled } = await open(() => Promise.resolve(), {
    before: () => (requested.resolve(), late.promise),
  });
  connection.write(GET);
  await requested.promise;
  connection.socket.destroy();
  late.resolve();
  await cancelled;
});

test.run();
