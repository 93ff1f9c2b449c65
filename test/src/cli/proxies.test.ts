/** Tests commands behind a proxy: HTTPS_PROXY, HTTP_PROXY, NO_PROXY, and a private certificate authority. */
import { writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { createServer as createSecure } from "node:https";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { CERTIFICATE, CERTIFICATE_KEY } from "#test/support/kube/certificate.ts";
import { type CliFixture, openCliFixture } from "./cli-fixture.ts";

interface Context {
  cli: CliFixture;
  servers: Server[];
  proxy: string;
  /** The targets that the proxy received. */
  asked: string[];
}

const test = suite<Context>("ALL_COMMANDS behind a proxy");
const ME =
  '{"user":{"id":"usr_1","email":"a@b.example","role":"operator","displayName":"A","federationIds":[],"spokeIds":[]}}';
const portOf = (server: Server) => (server.address() as AddressInfo).port;

test.before(async (context) => {
  context.asked = [];
  const answer = (_: IncomingMessage, reply: { setHeader(name: string, value: string): { end(text: string): void } }) =>
    void reply.setHeader("content-type", "application/json").end(ME);
  const target = createSecure({ key: CERTIFICATE_KEY, cert: CERTIFICATE }, answer);
  const proxy = createServer((request, reply) => {
    context.asked.push(`${request.method} ${request.url}`);
    answer(request, reply);
  });
  proxy.on("connect", ({ url }, client) => {
    context.asked.push(`CONNECT ${url}`);
    if (url !== "kube.test:443") return client.end("HTTP/1.1 403 Forbidden\r\n\r\n");
    const onward = connect(portOf(target), "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      onward.pipe(client).pipe(onward);
    });
    for (const socket of [client, onward]) socket.on("error", () => client.destroy());
  });
  context.servers = [target, proxy];
  for (const server of context.servers) await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  context.proxy = `http://127.0.0.1:${portOf(proxy)}`;
  context.cli = await openCliFixture({ WHEELWRIGHT_TOKEN: "ww_cli_abcdefghijklmnopqrstuvwxyz0123456789" });
  const authority = join(context.cli.directory, "authority.pem");
  await writeFile(authority, CERTIFICATE);
  Object.assign(context.cli.env, { NODE_EXTRA_CA_CERTS: authority, DENO_CERT: authority, DENO_NO_UPDATE_CHECK: "1" });
});
test.before.each(({ asked }) => void asked.splice(0));
test.after(async ({ cli, servers }) => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  await cli.close();
});

const run = ({ cli }: Context, WHEELWRIGHT_URL: string, env: Record<string, string>) =>
  cli.run(["me", "-q"], "", { WHEELWRIGHT_URL, ...env });

/** Skips tests on Deno, whose TLS rejects a self-signed server certificate. The last test runs there, too. */
const byNode = "deno" in process.versions ? test.skip : test;

byNode("reach a server with a private authority through HTTPS_PROXY or https_proxy", async (context) => {
  for (const name of ["HTTPS_PROXY", "https_proxy"]) {
    const { status, out, err } = await run(context, "https://kube.test", { [name]: context.proxy });
    assert.equal([status, out], [0, "usr_1\n"], err);
  }
  assert.equal(context.asked, ["CONNECT kube.test:443", "CONNECT kube.test:443"]);
});

test("reach a server without TLS through HTTP_PROXY", async (context) => {
  const { status, out, err } = await run(context, "http://kube.test", { HTTP_PROXY: context.proxy });
  assert.equal([status, out], [0, "usr_1\n"], err);
  assert.equal(context.asked.length, 1);
});

test("bypass the proxy for hosts in NO_PROXY", async (context) => {
  const url = `https://127.0.0.1:${portOf(context.servers[0]!)}`, proxies = { HTTPS_PROXY: context.proxy };
  const { status, err } = await run(context, url, { ...proxies, NO_PROXY: "example.org,127.0.0.1" });
  assert.is(status, 7);
  assert.match(err, /certificate/i, "it is for kube.test, and was reached without the proxy");
  assert.equal(context.asked, []);
});

test("report a refusal of the proxy in one sentence", async (context) => {
  const { status, err } = await run(context, "https://other.test", { HTTPS_PROXY: context.proxy });
  assert.is(status, 7);
  assert.match(err, /^Cannot reach https:\/\/other\.test: [^\n]*\n$/m);
  assert.match(context.asked[0]!, "CONNECT other.test:443");
});

test.run();
