/** Tests network faults of the simulated cluster, and how the Kubernetes client handles them. */
import { suite, type Test } from "uvu";
import * as assert from "uvu/assert";
import type { KubeApi } from "#lib/drivers/cluster/client/api.ts";
import { openKubeApi } from "#lib/drivers/cluster/client/api.ts";
import { openServerConnections } from "#lib/drivers/cluster/client/connection.ts";
import { type ListOrChange, watchCollection } from "#lib/drivers/cluster/client/watch.ts";
import { SILENT_LOG } from "#lib/base/log.ts";
import { openSimulator, type Simulator } from "#lib/dev/simulator/open.ts";
import type { Json } from "#test/lib/dev/simulator/kube-client.ts";
import { failureOf, UNCANCELLED } from "#test/support/kube/api.ts";

interface Scene {
  simulator: Simulator;
  api: KubeApi;
}

const SPACES = "/api/v1/namespaces", MAPS = "/api/v1/namespaces/a/configmaps";

function scene(test: Test<Scene>): void {
  test.before.each(async (scene) => {
    scene.simulator = await openSimulator({ delayMs: 0, log: SILENT_LOG });
    const connections = await openServerConnections({ text: scene.simulator.kubeconfig() });
    scene.api = openKubeApi({ connections, concurrency: 4, deadline: 1500, userAgent: "test" });
    await make(scene.api, SPACES, "a");
  });
  test.after.each(async ({ simulator, api }) => {
    api.close();
    await simulator.close();
  });
}

async function post({ simulator }: Scene, fault: unknown): Promise<{ status: number; body: Json }> {
  const headers = { "content-type": "application/json" };
  const answer = await fetch(`${simulator.url}/simulator/faults`, {
    method: "POST",
    headers,
    body: JSON.stringify(fault),
  });
  return { status: answer.status, body: await answer.json() };
}

const make = (api: KubeApi, path: string, name: string) =>
  api.call({ method: "POST", path, body: { metadata: { name } }, repeat: "safe" }, UNCANCELLED);
const patch = (api: KubeApi) =>
  api.call({
    method: "PATCH",
    path: `${SPACES}/a`,
    body: [{ op: "add", path: "/metadata/labels/x", value: "1" }],
    type: "application/json-patch+json",
    repeat: "unsent",
  }, UNCANCELLED);

const table = suite<Scene>("readBreakage");
scene(table);

for (
  const [fault, words] of [
    [null, "A fault must be a JSON object"],
    [{ type: "meteor" }, "type must be one of latency, answer, cut"],
    [{ type: "toString" }, "type must be one of"],
    [{ type: "latency" }, "ms must be a whole number from 0 to 3600000"],
    [{ type: "latency", ms: -1 }, "ms must be"],
    [{ type: "latency", ms: 1e12 }, "ms must be"],
    [{ type: "latency", ms: "5" }, "ms must be"],
    [{ type: "latency", ms: null }, "ms must be"],
    [{ type: "cut", times: 0 }, "times must be a whole number from 1 to 1000000"],
    [{ type: "cut", times: 1.5 }, "times must be"],
    [{ type: "hang", at: "nowhere" }, "at must be one of received, performed, headers, body"],
    [{ type: "answer", status: 101 }, "status must be a whole number from 200 to 599"],
    [{ type: "answer", status: 600 }, "status must be"],
    [{ type: "answer", status: 200, headers: { "a b": "c" } }, "headers must be"],
    [{ type: "answer", status: 200, headers: { a: "b\r\nc" } }, "headers must be"],
    [{ type: "answer", status: 429, retryAfter: "1\n" }, "retryAfter must be"],
    [{ type: "answer", status: 200, body: {} }, "body must be a string"],
    [{ type: "trickle", ms: 1, bytes: 0 }, "bytes must be"],
    [{ type: "cut", pth: "/x" }, "Unknown field pth for fault type cut"],
    [{ type: "drop-watches", how: "gently" }, "how must be one of"],
    [{ type: "failing-job", name: "x", exitCode: 256 }, "exitCode must be"],
    [{ type: "unready" }, "name must be a non-empty string"],
  ] as const
) {
  table(`rejects ${JSON.stringify(fault)} with the reason`, async (scene) => {
    const { status, body } = await post(scene, fault);
    assert.is(status, 400);
    assert.ok(body.message.startsWith(words), body.message);
    assert.equal(scene.simulator.faults.list(), []);
  });
}

const calls = suite<Scene>("a fault of one request");
scene(calls);

for (
  const fault of [
    { type: "cut" },
    { type: "cut", at: "performed" },
    { type: "cut", at: "headers" },
    { type: "cut", at: "body" },
    { type: "cut", at: "headers", chunked: true },
    { type: "cut", at: "body", chunked: true },
    { type: "answer", status: 429, retryAfter: 0 },
    { type: "answer", status: 503 },
    { type: "answer", status: 502, body: "<html>Bad Gateway</html>" },
  ] as const
) {
  calls(`${JSON.stringify(fault)} is retried`, async (scene) => {
    assert.is((await post(scene, { ...fault, times: 2 })).status, 201);
    const { body } = await scene.api.call({ method: "GET", path: `${SPACES}/a`, repeat: "safe" }, UNCANCELLED);
    assert.is(body.metadata.name, "a");
    assert.equal(scene.simulator.faults.list(), [], "both were met");
  });
}

for (const at of ["received", "performed", "headers", "body"] as const) {
  calls(`a server that hangs when it has ${at} causes a timeout`, async (scene) => {
    await post(scene, { type: "hang", at, path: `${SPACES}/a` });
    const { code, transient } = await failureOf(
      scene.api.call({ method: "GET", path: `${SPACES}/a`, repeat: "safe" }, UNCANCELLED),
    );
    assert.equal([code, transient], ["deadline", true]);
  });
}

calls("a slow answer is read until the deadline", async (scene) => {
  const get = () => scene.api.call({ method: "GET", path: "/version", repeat: "safe" }, UNCANCELLED);
  await post(scene, { type: "trickle", ms: 1, bytes: 50, times: 1 });
  assert.is((await get()).body.minor, "33");
  await post(scene, { type: "trickle", ms: 200, bytes: 1 });
  assert.is((await failureOf(get())).code, "deadline");
});

for (
  const [fault, code, status] of [
    [{ status: 401 }, "Unauthorized", 401],
    [{ status: 409 }, "Conflict", 409],
    [{ status: 410 }, "Expired", 410],
    [{ status: 200, body: "<html>Sign in</html>" }, "BadAnswer", 200],
    [{ status: 200, body: '{"kind": "Pod' }, "BadAnswer", 200],
    [{ status: 302, body: "", headers: { location: "https://login.test/" } }, "BadAnswer", 302],
    [{ status: 504 }, "Timeout", 504],
  ] as const
) {
  calls(`a patch that is answered ${JSON.stringify(fault)} fails as transient ${code}`, async (scene) => {
    await post(scene, { type: "answer", method: "PATCH", ...fault });
    const error = await failureOf(patch(scene.api));
    assert.equal([error.code, error.status, error.transient], [code, status, true]);
    const requests = scene.simulator.writes().filter(({ method }) => method === "PATCH").length;
    assert.is(requests, status === 401 ? 2 : 1, "the request is repeated only with new credentials");
  });
}

for (const at of ["received", "performed", "headers", "body"] as const) {
  calls(`a JSON patch whose answer is cut off when ${at} is not repeated`, async (scene) => {
    await post(scene, { type: "cut", at, method: "PATCH", times: 1 });
    const { code, transient } = await failureOf(patch(scene.api));
    assert.equal([code, transient], ["unreachable", true]);
    const patches = scene.simulator.writes().filter(({ method }) => method === "PATCH");
    assert.equal(patches.map(({ changed }) => changed), [at !== "received"]);
  });
}

calls("a creation whose answer is lost is detected", async (scene) => {
  await post(scene, { type: "cut", at: "performed", method: "POST", times: 1 });
  assert.is((await failureOf(make(scene.api, MAPS, "c"))).code, "AlreadyExists");
  assert.equal(scene.simulator.objects("ConfigMap").filter(({ metadata }) => metadata.name === "c").length, 1);
});

const watches = suite<Scene>("a fault of watches");
scene(watches);

/** Watches ConfigMaps until `c` appears. Returns the changes and the errors that were retried. */
async function follow(scene: Scene, spoil: () => Promise<unknown>): Promise<{ told: string[]; troubles: string[] }> {
  const changes: string[] = [], troubles: string[] = [];
  const onTrouble = (error: Error) => void troubles.push(error.message);
  for await (
    const change of watchCollection(scene.api, { path: MAPS, silence: 300, onRetry: onTrouble }, UNCANCELLED)
  ) {
    changes.push(describe(change));
    const last = changes.at(-1)!;
    if (last.split(" ").includes("c")) return { told: changes, troubles };
    if (changes.length === 1) void make(scene.api, MAPS, "b"); // the watch sees it, and therefore has started
    if (last !== "ADDED b") continue;
    await spoil();
    await make(scene.api, MAPS, "c");
  }
  throw new Error("the watch ended");
}

function describe(change: ListOrChange): string {
  const objects = change.type === "LISTED" ? change.objects : [change.object];
  return [change.type, ...objects.map(({ metadata }) => metadata.name)].join(" ");
}

for (const how of ["cut", "end", "expired", "error", "garbage", "half", "endless"] as const) {
  watches(`a watch that is dropped as ${how} resumes without missing a change`, async (scene) => {
    const { told: changes, troubles } = await follow(scene, () => post(scene, { type: "drop-watches", how }));
    assert.equal(
      changes.slice(1),
      how === "expired" ? ["ADDED b", "LISTED b c kube-root-ca.crt"] : ["ADDED b", "ADDED c"],
    );
    assert.is(troubles.length, how === "end" ? 0 : 1, troubles.join("\n"));
  });
}

watches("a silent watch is closed and resumed", async (scene) => {
  const { told: changes, troubles } = await follow(scene, async () => {
    await post(scene, { type: "silent-watches", kind: "ConfigMap" });
    scene.simulator.faults.clear();
  });
  assert.is(changes.at(-1), "ADDED c");
  assert.equal(troubles, [`The watch on ${MAPS} received nothing for 300 ms`]);
});

watches("an expired resource version causes a new list", async (scene) => {
  const { told: changes } = await follow(scene, async () => {
    await post(scene, { type: "silent-watches" });
    await make(scene.api, MAPS, "unseen");
    await post(scene, { type: "compact" });
    scene.simulator.faults.clear();
  });
  assert.ok(changes.some((each) => /^LISTED b .*unseen$/.test(each)), changes.join("\n"));
});

table.run();
calls.run();
watches.run();
