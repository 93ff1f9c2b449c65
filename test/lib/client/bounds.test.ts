/** Tests the client's limits of memory and time, with the runtime's fetch and with the command line's. */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { connect, type ConnectOptions } from "#lib/client/client.ts";
import { readSseFrames } from "#lib/client/sse.ts";
import { lightFetch } from "#src/cli/light-fetch.ts";
import { refused } from "#test/lib/client/stage.ts";
import { rejection } from "#test/support/until.ts";

const test = suite<{ url: string; close: () => Promise<void> }>("the client's bounds");
const MIB = 1024 * 1024;

/** Endless responses, by path. */
const ANSWERS: Readonly<Record<string, (reply: ServerResponse) => void>> = {
  "/claims": (reply) => void reply.writeHead(200, { "content-length": 200 * MIB }).write("{"),
  "/pours": (reply) => sendForever(reply.writeHead(200)),
  "/trickles": (reply) => trickle(reply.writeHead(200), "{"),
  "/refuses": (reply) => trickle(reply.writeHead(500), "{"),
};

test.before((context) => {
  const server = createServer(({ url }, reply) => {
    reply.on("error", () => {});
    ANSWERS[url ?? ""]?.(reply);
  });
  context.close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return new Promise<void>((resolve) =>
    server.listen(0, "127.0.0.1", () => {
      context.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      resolve();
    })
  );
});
test.after(({ close }) => close());

function sendForever(reply: ServerResponse): void {
  const piece = Buffer.alloc(MIB, " ");
  const go = () => {
    while (!reply.destroyed && reply.write(piece));
  };
  reply.on("drain", go);
  go();
}

function trickle(reply: ServerResponse, byte: string): void {
  const timer = setInterval(() => void reply.write(byte), 10);
  reply.once("close", () => clearInterval(timer));
}

const WAYS: readonly (readonly [name: string, fetch: ConnectOptions["fetch"]])[] = [
  ["fetch", undefined],
  ["the command line's fetch", lightFetch],
];
for (const [name, fetch] of WAYS) {
  const ask = (url: string, path: string, attemptTimeout = 60_000) =>
    refused(connect({ url, fetch, maxAttempts: 1, attemptTimeout }).request({ method: "GET", path }));

  test(`rejects a response of more than 128 MiB, by ${name}`, async ({ url }) => {
    for (const path of ["/claims", "/pours"]) {
      const { code, message } = await ask(url, path);
      assert.is(code, "unexpected_answer", message);
      assert.match(message, `responded to GET ${path} with more than 128 MiB`);
    }
  });

  test(`ends an endless slow response, by ${name}`, async ({ url }) => {
    for (const path of ["/trickles", "/refuses"]) {
      const { code, message } = await ask(url, path, 300);
      assert.is(code, "unreachable", message);
      assert.match(message, "no response within 0.3 s");
    }
  });
}

/** A stream that continues with this text. */
function endless(text: string, everyMs: number): ReadableStream<Uint8Array> {
  const piece = new TextEncoder().encode(text);
  let timer: ReturnType<typeof setTimeout>;
  return new ReadableStream({
    pull: (controller) =>
      new Promise<void>((resolve) => {
        timer = setTimeout(() => {
          controller.enqueue(piece);
          resolve();
        }, everyMs);
      }),
    cancel: () => clearTimeout(timer),
  });
}

async function readAll(stream: ReadableStream<Uint8Array>, silence: number): Promise<void> {
  for await (const frame of readSseFrames(stream, { silence })) void frame;
}

test("ends a stream with an endless event, by size and by time", async () => {
  assert.match((await rejection(readAll(endless("x".repeat(300_000), 0), 60_000))).message, "larger than 1 MiB");
  assert.match((await rejection(readAll(endless("x", 5), 200))).message, "no data for");
});

test.run();
