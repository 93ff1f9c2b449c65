/** Messages to receivers that work, fail, stall or attack the control plane. */
import { readFile } from "node:fs/promises";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { ServerResponse } from "node:http";
import { Webhook } from "standardwebhooks";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  openWebhookSender,
  type SendResult,
  type WebhookAnswer,
  type WebhookSender,
} from "#lib/drivers/webhooks/sender.ts";
import { createWebhookSecret } from "#lib/drivers/webhooks/sign.ts";
import { openReceiver, type WebhookReceiver } from "#test/support/receiver.ts";
import { tlsFile } from "#test/support/secure-server.ts";
import { rejection } from "#test/support/until.ts";

interface Context {
  receiver: WebhookReceiver;
  sender: WebhookSender;
}

const test = suite<Context>("WebhookSender");
const NEVER = new AbortController().signal, SECRET = createWebhookSecret(), BODY = '{"type":"SpokeUpdateActive"}';
const INSIDE = ["127.0.0.0/8", "::1"], LOCAL = () => Promise.resolve(["127.0.0.1"]);
let count = 0;

test.before.each(async (context) => {
  context.receiver = await openReceiver();
  context.sender = openWebhookSender({ lookUp: LOCAL, allowedNetworks: INSIDE, version: "1.2.3", timeoutMs: 1000 });
});
test.after.each(async ({ receiver, sender }) => {
  sender.close();
  await receiver.close();
});

/** Sends a message of a webhook that has no other messages. */
async function send(sender: WebhookSender, url: string, signal = NEVER): Promise<WebhookAnswer> {
  const webhookId = `whk_${count++}`;
  const result = await sender.send({ webhookId, url, messageId: "msg_1", body: BODY, secrets: [SECRET] }, signal);
  if ("busyMs" in result) throw new Error(`busy for ${result.busyMs} ms`);
  return result;
}

/** The outcome without its duration, which no test asserts. */
const without = ({ durationMs: _, ...rest }: WebhookAnswer) => rest;

function drip(response: ServerResponse): void {
  const timer = setInterval(() => response.write("x"), 20);
  response.on("close", () => clearInterval(timer));
}

test("sends a signed message, and returns the answer", async ({ sender, receiver }) => {
  receiver.respond = (_, response) => void response.writeHead(200).end("thanks\0!");
  assert.equal(without(await send(sender, `${receiver.url}?key=1`)), {
    status: 200,
    text: "thanks!",
    error: null,
    retryAfterMs: null,
  });
  const [{ path, headers, body }] = receiver.messages as [WebhookReceiver["messages"][number]];
  assert.equal([path, body, headers["content-type"]], ["/hook?key=1", BODY, "application/json"]);
  assert.equal([headers["user-agent"], headers["webhook-id"]], ["Wheelwright/1.2.3", "msg_1"]);
  assert.equal(new Webhook(SECRET).verify(body, headers as Record<string, string>), JSON.parse(BODY));
});

test("does not follow redirects", async ({ sender, receiver }) => {
  receiver.respond = (_, response) => void response.writeHead(307, { location: "/other" }).end();
  const { status, error } = await send(sender, receiver.url);
  assert.equal([status, error], [307, "The receiver redirected (307); redirects are not followed"]);
  assert.is(receiver.messages.length, 1);
});

test("reports an error status with the answer and Retry-After", async ({ sender, receiver }) => {
  receiver.respond = (_, response) => void response.writeHead(503, { "retry-after": "120" }).end("down");
  assert.equal(without(await send(sender, receiver.url)), {
    status: 503,
    text: "down",
    error: "The receiver answered 503",
    retryAfterMs: 120_000,
  });
  receiver.respond = (_, response) => void response.writeHead(429, { "retry-after": "999999" }).end();
  assert.is((await send(sender, receiver.url)).retryAfterMs, 3_600_000);
});

test("stops reading an answer of a gigabyte", async ({ sender, receiver }) => {
  let written = 0;
  receiver.respond = (_, response) => {
    const chunk = Buffer.alloc(64 * 1024, "x");
    const write = (): void => {
      while (!response.destroyed && written < 2 ** 30 && response.write(chunk)) written += chunk.length;
      if (!response.destroyed) response.once("drain", write);
    };
    write();
  };
  const { status, text, error } = await send(sender, receiver.url);
  assert.equal([status, text.length, error], [200, 2048, null]);
  assert.ok(written < 16 * 2 ** 20, `${written} bytes were sent`);
});

test("gives up on a receiver that hangs, and keeps the status of an answer that drips", async ({ sender, receiver }) => {
  receiver.respond = () => {};
  const { status, error } = await send(sender, receiver.url);
  assert.equal([status, error], [null, "The receiver did not answer within 1 s"]);
  receiver.respond = (_, response) => drip(response.writeHead(200));
  const slow = await send(sender, receiver.url);
  assert.equal([slow.status, slow.error], [200, null]);
  receiver.respond = (_, response) => {
    const timer = setInterval(() => response.socket!.write("H"), 20); // a header that never ends
    response.socket!.on("close", () => clearInterval(timer));
    response.socket!.write("HTTP/1.1 200 OK\r\nx: ");
  };
  assert.is((await send(sender, receiver.url)).error, "The receiver did not answer within 1 s");
});

test("reports refused and broken connections", async ({ sender, receiver }) => {
  receiver.respond = (_, response) => void response.socket!.destroy();
  assert.is((await send(sender, receiver.url)).error, "The receiver closed the connection without an answer");
  await receiver.close();
  assert.is((await send(sender, receiver.url)).error, "The receiver refused the connection");
});

test("sends nothing to a host whose address became private after it was stored", async ({ receiver }) => {
  const addresses = [["93.184.216.34"], ["127.0.0.1"]];
  const lookUp = () => Promise.resolve(addresses.shift() ?? []);
  const sender = openWebhookSender({ lookUp, allowedNetworks: [], version: "1", timeoutMs: 1000 });
  const url = `https://rebinding.example:${receiver.port}/hook`;
  assert.is(await sender.findRefusal(url), null);
  const { status, error } = await send(sender, url);
  assert.equal([status, error], [null, "Nothing was sent, because its address is private, local or reserved"]);
  assert.is(receiver.messages.length, 0);
  sender.close();
});

test("looks a host up once per message, and connects to that address with the host's name", async ({ receiver }) => {
  let lookups = 0;
  const lookUp = () => Promise.resolve(lookups++ === 0 ? ["127.0.0.1"] : ["10.0.0.1"]);
  const sender = openWebhookSender({ lookUp, allowedNetworks: INSIDE, version: "1", timeoutMs: 1000 });
  assert.is((await send(sender, `http://hooks.example:${receiver.port}/`)).error, null);
  assert.equal([lookups, receiver.messages[0]!.headers.host], [1, `hooks.example:${receiver.port}`]);
  sender.close();
});

test("reports that no DNS server responds", async () => {
  const lookUp = () => Promise.reject(new Error("timeout"));
  const sender = openWebhookSender({ lookUp, allowedNetworks: [], version: "1" });
  const { error } = await send(sender, "https://hooks.example/");
  assert.is(error, "The receiver's host name could not be looked up");
  sender.close();
});

test("verifies the certificate for the host of the URL", async () => {
  const [key, cert, ca] = await Promise.all(
    ["server.key", "server.crt", "ca.crt"].map((name) => readFile(tlsFile(name))),
  );
  const names: unknown[] = [];
  const server = createSecureServer({
    key: key!,
    cert: cert!,
    SNICallback: (name, callback) => (names.push(name), callback(null)),
  }, (_, response) => void response.writeHead(200).end());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo, options = { lookUp: LOCAL, allowedNetworks: INSIDE, version: "1" };
  const trusting = openWebhookSender({ ...options, ca: ca!.toString() }), strict = openWebhookSender(options);
  assert.is((await send(trusting, `https://localhost:${port}/`)).status, 200);
  assert.equal(names, ["localhost"]);
  for (const [sender, host] of [[strict, "localhost"], [trusting, "other.example"]] as const) {
    assert.is((await send(sender, `https://${host}:${port}/`)).error, "The receiver's certificate is not valid", host);
  }
  trusting.close();
  strict.close();
  server.closeAllConnections();
  server.close();
});

test("stops when its job is stopped", async ({ sender, receiver }) => {
  const stop = new AbortController(), reason = new Error("stopped");
  receiver.respond = () => stop.abort(reason);
  assert.is(await rejection(send(sender, receiver.url, stop.signal)), reason);
});

test("lets a receiver that hangs hold four messages, and no other receiver waits for it", async ({ sender, receiver }) => {
  const other = await openReceiver();
  receiver.respond = () => {};
  const message = { webhookId: "whk_slow", url: receiver.url, messageId: "msg_1", body: BODY, secrets: [SECRET] };
  const sent: Promise<SendResult>[] = Array.from({ length: 6 }, () => sender.send(message, NEVER));
  for (const busy of await Promise.all(sent.slice(4))) assert.ok("busyMs" in busy && busy.busyMs > 0);
  assert.is((await send(sender, other.url)).status, 204);
  for (const late of await Promise.all(sent.slice(0, 4))) assert.ok("error" in late && late.error !== null);
  assert.ok("busyMs" in await sender.send(message, NEVER), "pauses after failed connections");
  await other.close();
});

test.run();
