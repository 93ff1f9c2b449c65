import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readConfig } from "#lib/base/config.ts";
import { checkMetricsPort } from "#lib/doctor/metrics-port.ts";
import { createReadWithTimeout } from "#lib/doctor/timed-read.ts";

const test = suite("checkMetricsPort");
const timedRead = createReadWithTimeout(new AbortController().signal);

async function check(port: number | null, host = "127.0.0.1"): Promise<string[]> {
  const env: Record<string, string> = port === null ? {} : { METRICS_PORT: String(port) };
  const findings = await checkMetricsPort({ ...readConfig({ mode: "dev", env, terminal: false }), host }, timedRead);
  return findings.map(({ level, message }) => `${level}: ${message.replace(String(port), "PORT")}`);
}

/** Starts a server that replies with the text. */
async function listening(text: string) {
  const server = createServer((_, response) => response.end(text));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return { port: (server.address() as AddressInfo).port, close };
}

test("returns nothing without METRICS_PORT", async () => {
  assert.equal(await check(null), []);
});

test("accepts a free port and one of Wheelwright, and warns about one of another program", async () => {
  const ours = await listening("wheelwright_build_info 1\n");
  assert.equal(await check(ours.port), ["ok: 127.0.0.1:PORT already serves the metrics of Wheelwright"]);
  await ours.close();
  assert.match((await check(ours.port)).join(), /^ok: 127\.0\.0\.1:PORT is free/);
  const other = await listening("hello");
  assert.match((await check(other.port)).join(), /^warning: cannot listen on 127\.0\.0\.1:PORT: .*in use/i);
  await other.close();
});

test("fails for an address of another machine", async () => {
  assert.match((await check(9464, "192.0.2.7")).join(), /^failing: cannot listen on 192\.0\.2\.7:PORT: /);
});

test.run();
