/** Tests the replacement of fetch for commands on Node. */
import { createServer as createPlain, type Server } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { connect, type ConnectOptions } from "#lib/client/client.ts";
import { lightFetch } from "#src/cli/light-fetch.ts";
import { CERTIFICATE, CERTIFICATE_KEY } from "#test/support/kube/certificate.ts";
import { rejection } from "#test/support/until.ts";

const test = suite("lightFetch");
const SCRIPT = fileURLToPath(new URL("../../../src/wheelwright.js", import.meta.url));

/** Starts a server that echoes each request. */
async function echo(server: Server): Promise<{ port: number; close(): Promise<void> }> {
  server.on("request", async (request, reply) => {
    let text = "";
    for await (const piece of request) text += piece;
    const { method, url, headers } = request;
    reply.setHeader("content-type", "application/json").end(JSON.stringify({ method, url, headers, text }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { port: (server.address() as AddressInfo).port, close: () => closed(server) };
}

async function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

const asking = (url: string, more: Partial<ConnectOptions> = {}) =>
  connect({ url, token: "ww_cli_one", fetch: lightFetch, maxAttempts: 1, ...more });

test("sends method, headers and body, and reads the answer", async () => {
  const { port, close } = await echo(createPlain());
  const body = { name: "Łódź" }, path = "/api/x";
  const answer = await asking(`http://127.0.0.1:${port}`).request({ method: "PATCH", path, body }) as {
    [name: string]: unknown;
    headers: Record<string, string>;
  };
  await close();
  assert.equal([answer["method"], answer["url"], answer["text"]], ["PATCH", path, JSON.stringify(body)]);
  assert.is(answer.headers["authorization"], "Bearer ww_cli_one");
  assert.is(answer.headers["content-length"], String(Buffer.byteLength(JSON.stringify(body))));
});

test("supports TLS and rejects an unknown certificate authority", async () => {
  const { port, close } = await echo(createServer({ key: CERTIFICATE_KEY, cert: CERTIFICATE }));
  const { code, message } = await rejection(asking(`https://127.0.0.1:${port}`).getMe());
  await close();
  assert.is(code, "unreachable");
  assert.match(message, /^Cannot reach https:\S+: .*certificate/i);
});

test("reports a refused connection as an error that is safe to retry", async () => {
  const retries: string[] = [];
  const hasty = { maxAttempts: 2, pause: () => Promise.resolve(), onRetry: () => void retries.push("") };
  const nobody = asking("http://localhost:9", hasty);
  assert.match((await rejection(nobody.request({ method: "POST", path: "/api/x" }))).message, /ECONNREFUSED/);
  assert.is(retries.length, 1);
});

test("aborts with its signal, before and during the answer", async () => {
  const server = createPlain((request, reply) => void (request.url === "/half" && reply.write("{")));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const path of ["/none", "/half"]) {
    const { message } = await rejection(asking(url, { attemptTimeout: 200 }).request({ method: "GET", path }));
    assert.match(message, /no response within 0\.2 s/);
  }
  await closed(server);
});

const onNode = "deno" in process.versions ? test.skip : test;
onNode("keeps a command from loading fetch", () => {
  const script =
    'process.on("exit", () => console.log(process.moduleLoadList.some((name) => name.endsWith("/undici"))))';
  const env = { ...process.env, WHEELWRIGHT_URL: "http://127.0.0.1:9", WHEELWRIGHT_TOKEN: "ww_cli_one" };
  const { stdout } = spawnSync(process.execPath, ["--import", `data:text/javascript,${script}`, SCRIPT, "me"], { env });
  assert.is(String(stdout), "false\n");
});

test.run();
