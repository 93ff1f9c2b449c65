/** Tests `wheelwright healthcheck`, which container engines run. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { formatReadinessUrl } from "#src/commands/healthcheck.ts";
import { startProgram } from "#test/support/program.ts";

const test = suite("wheelwright healthcheck");

/** Starts a server that gives this answer to readiness requests. */
async function answering(status: number, body: string) {
  const server = createServer((request, reply) => {
    const right = request.url === "/api/readyz" && request.method === "GET";
    reply.writeHead(right ? status : 404, { connection: "close" }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { port: String(port), close: () => new Promise((resolve) => server.close(resolve)) };
}

async function check(env: Record<string, string>): Promise<{ status: number | null; text: string }> {
  const program = startProgram(["healthcheck"], env);
  return { status: await program.ended, text: program.lines.join("\n") };
}

test("reports a ready replica", async () => {
  const { port, close } = await answering(200, "{}");
  assert.equal(await check({ PORT: port }), { status: 0, text: "Ready" });
  await close();
});

test("reports a ready replica with live payments", async () => {
  const { port, close } = await answering(200, "{}");
  const live = { STRIPE_SECRET_KEY: "sk_live_x", STRIPE_WEBHOOK_SECRET: "y" };
  assert.equal(await check({ PORT: port, ...live }), { status: 0, text: "Ready" });
  await close();
});

test("reports an unready replica with the reason", async () => {
  const { port, close } = await answering(503, `{"checks":{"database":"failing"}}`);
  const { status, text } = await check({ PORT: port });
  assert.is(status, 1);
  assert.match(text, /^Not ready: 503 .*database.*failing/);
  await close();
});

test("fails for a redirection", async () => {
  const { port, close } = await answering(302, "");
  assert.is((await check({ PORT: port })).status, 1);
  await close();
});

test("fails for a port without a listener", async () => {
  const { port, close } = await answering(200, "{}");
  await close();
  const { status, text } = await check({ PORT: port });
  assert.is(status, 1);
  assert.match(text, `Not ready: http://127.0.0.1:${port}/api/readyz does not respond`);
});

test("uses the address on which serve listens", () => {
  assert.is(formatReadinessUrl("0.0.0.0", 3000), "http://127.0.0.1:3000/api/readyz");
  assert.is(formatReadinessUrl("::", 3000), "http://[::1]:3000/api/readyz");
  assert.is(formatReadinessUrl("10.1.2.3", 80), "http://10.1.2.3:80/api/readyz");
  assert.is(formatReadinessUrl("fd00::7", 3001), "http://[fd00::7]:3001/api/readyz");
});

test.run();
