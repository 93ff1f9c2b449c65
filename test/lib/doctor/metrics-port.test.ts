import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readConfig } from "#lib/base/config.ts";
import { checkMetricsPort } from "#lib/doctor/metrics-port.ts";
import { createTimedRead } from "#lib/doctor/timed-read.ts";

const test = suite("lookAtMetricsPort");
const look = createTimedRead(new AbortController().signal);

async function lookAt(port: number | null, host = "127.0.0.1"): Promise<string[]> {
  const env: Record<string, string> = port === null ? {} : { METRICS_PORT: String(port) };
  const found = await checkMetricsPort({ ...readConfig({ mode: "dev", env, terminal: false }), host }, look);
  return found.map(({ level, message: told }) => `${level}: ${told.replace(String(port), "PORT")}`);
}

/** Listens on a port and replies with this text. */
async function listening(text: string) {
  const server = createServer((_, response) => response.end(text));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return { port: (server.address() as AddressInfo).port, close };
}

test("says nothing where no metrics are asked for", async () => {
  assert.equal(await lookAt(null), []);
});

test("a port that is free, one where a Wheelwright serves already, and one that another program has", async () => {
  const ours = await listening("wheelwright_build_info 1\n");
  assert.equal(await lookAt(ours.port), ["ok: 127.0.0.1:PORT already serves the metrics of Wheelwright"]);
  await ours.close();
  assert.match((await lookAt(ours.port)).join(), /^ok: 127\.0\.0\.1:PORT is free/);
  const other = await listening("hello");
  assert.match((await lookAt(other.port)).join(), /^warning: cannot listen on 127\.0\.0\.1:PORT: .*in use/i);
  await other.close();
});

test("an address that this machine does not have fails", async () => {
  assert.match((await lookAt(9464, "192.0.2.7")).join(), /^failing: cannot listen on 192\.0\.2\.7:PORT: /);
});

test.run();
