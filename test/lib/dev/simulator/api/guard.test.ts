/** Tests that requests from pages of other sites are rejected. */
import { connect } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Kube, openKube } from "#test/lib/dev/simulator/kube-client.ts";

const SPACE = JSON.stringify({ apiVersion: "v1", kind: "Namespace", metadata: { name: "a" } });

const test = suite<{ kube: Kube; port: string }>("cross-site requests to the simulated cluster");

test.before.each(async (context) => {
  context.kube = await openKube();
  context.port = new URL(context.kube.simulator.url).port;
});
test.after.each(({ kube }) => kube.close());

/** Returns the status of a raw POST with these headers, because fetch sets Host and Origin itself. */
function post(port: string, path: string, headers: Record<string, string>, body: string): Promise<number> {
  const lines = Object.entries({ "content-length": String(body.length), connection: "close", ...headers });
  const text = `POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n${body}`;
  return new Promise((resolve, reject) => {
    let answer = "";
    const socket = connect(Number(port), "127.0.0.1", () => socket.write(text));
    socket.setEncoding("utf8").on("data", (piece: string) => answer += piece).on("error", reject);
    socket.on("close", () => resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1])));
  });
}

const json = { "content-type": "application/json" };

test("rejects a foreign host name that resolves to this machine", async ({ kube, port }) => {
  for (const host of [`rebound.example:${port}`, `127.0.0.1.example:${port}`, `localhost.example:${port}`, ""]) {
    assert.is(await post(port, "/api/v1/namespaces", { host, ...json }, SPACE), 403, host);
    assert.is(await post(port, "/simulator/faults", { host, ...json }, '{"type":"latency","ms":1}'), 403, host);
  }
  assert.equal(kube.simulator.writes(), []);
  assert.equal(kube.simulator.faults.list(), []);
});

test("accepts each name of this machine, also with another port", async ({ port }) => {
  for (const host of [`localhost:${port}`, `LOCALHOST:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`, "localhost:1"]) {
    const space = SPACE.replace('"a"', '""');
    assert.is(await post(port, "/api/v1/namespaces", { host, ...json }, space), 422, host);
  }
});

test("rejects writes and faults from a page of another site", async ({ kube, port }) => {
  const host = `127.0.0.1:${port}`;
  for (
    const header of [
      { origin: "https://evil.example" },
      { origin: "null" },
      { origin: "http://127.0.0.1:1" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
    ]
  ) {
    const headers = { host, ...json, ...header } as Record<string, string>;
    assert.is(await post(port, "/api/v1/namespaces", headers, SPACE), 403, JSON.stringify(header));
    assert.is(await post(port, "/simulator/faults", headers, '{"type":"latency","ms":1}'), 403);
  }
  assert.equal([kube.simulator.writes(), kube.simulator.faults.list()], [[], []]);
});

test("rejects form submissions without an Origin header", async ({ kube, port }) => {
  const host = `127.0.0.1:${port}`;
  for (
    const type of ["text/plain", "TEXT/PLAIN;charset=utf-8", "application/x-www-form-urlencoded", "multipart/form-data"]
  ) {
    const headers = { host, "content-type": type };
    assert.is(await post(port, "/api/v1/namespaces", headers, SPACE), 415, type);
    assert.is(await post(port, "/simulator/faults", headers, '{"type":"latency","ms":1}'), 415, type);
  }
  assert.equal([kube.simulator.writes(), kube.simulator.faults.list()], [[], []]);
});

test("lets a browser open the recorded requests, and its own pages read them", async ({ kube }) => {
  for (const site of ["none", "same-origin"]) {
    const headers = { "sec-fetch-site": site, origin: kube.simulator.url };
    assert.is((await fetch(`${kube.simulator.url}/simulator/writes`, { headers })).status, 200, site);
  }
});

test.run();
