/** Tests faults that tests and users can inject. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  condition,
  deployment,
  job,
  type Json,
  type Kube,
  makeNamespace,
  openKube,
} from "#test/lib/dev/simulator/kube-client.ts";
import { until } from "#test/support/until.ts";

const test = suite("faults");
let kube: Kube;

test.before.each(async () => {
  kube = await openKube();
});
test.after.each(() => kube.close());

test("a failing answer is repeated as often as requested, only for matching requests", async () => {
  kube.simulator.faults.answer(429, { method: "POST", path: "/namespaces", times: 2, retryAfter: 3 });
  const space = { apiVersion: "v1", kind: "Namespace", metadata: { name: "a" } };
  assert.is((await kube.get({ ...space, metadata: { name: "default" } })).status, 200);
  for (const _ of [1, 2]) {
    const { status, body, headers } = await kube.create(space);
    assert.is(status, 429);
    assert.is(body.reason, "TooManyRequests");
    assert.is(headers.get("retry-after"), "3");
  }
  assert.is((await kube.create(space)).status, 201);
  assert.equal(kube.simulator.writes().map((write) => write.status), [429, 429, 201]);
});

test("a closed connection returns no answer", async () => {
  kube.simulator.faults.cut({ path: "/version" });
  const broken = await kube.send("GET", "/version").catch((error) => error);
  assert.instance(broken, Error);
  kube.simulator.faults.clear();
  assert.is((await kube.send("GET", "/version")).status, 200);
});

test("a dropped watch ends immediately", async () => {
  const watch = await fetch(`${kube.simulator.url}/api/v1/namespaces?watch=1&resourceVersion=${await version()}`);
  const ended = watch.text().catch((error) => error);
  kube.simulator.faults.dropWatches();
  const how = await ended;
  assert.ok(how instanceof Error || how === "", String(how));
});

test("a stuck namespace stays, reports the reason, and is deleted after the fault is removed", async () => {
  const space = await makeNamespace(kube, "a");
  kube.simulator.faults.stuckNamespace("a");
  await kube.remove(space);
  const stuck = await kube.when(space, (live) => condition(live, "NamespaceFinalizersRemaining")?.status === "True");
  assert.is(condition(stuck, "NamespaceFinalizersRemaining").reason, "SomeFinalizersRemain");
  kube.simulator.faults.clear();
  await kube.gone(space);
});

test("a failing Job prints the configured lines and exit code", async () => {
  await makeNamespace(kube, "a");
  kube.simulator.faults.failJob("install-", { log: ["no luck"], exitCode: 9 });
  const failed = await kube.run(job("a", "install-1", "exit 0"));
  assert.is(failed.result, "Failed");
  assert.equal(failed.log, ["no luck"]);
  assert.is((await kube.run(job("a", "seed-1", "exit 0"))).result, "Complete");
});

test("an out-of-memory kill is reported as the reason", async () => {
  await makeNamespace(kube, "a");
  kube.simulator.faults.oom("a/j");
  assert.is((await kube.run(job("a", "j", "exit 0"))).result, "Failed");
  const { body } = await kube.send("GET", "/api/v1/namespaces/a/pods?labelSelector=job-name%3Dj");
  assert.is(body.items[0].status.containerStatuses[0].state.terminated.reason, "OOMKilled");
});

test("an unready Deployment times out, and recovers after the fault is removed", async () => {
  await makeNamespace(kube, "a");
  kube.simulator.faults.unready("d");
  await kube.apply(deployment("a", "d"));
  const watch = await kube.send("GET", "/apis/apps/v1/namespaces/a/deployments?watch=1&timeoutSeconds=4");
  const lives = watch.body.slice(0, -1).split("\n").map((line: string) => JSON.parse(line).object);
  const reasons: string[] = lives.map((live: Json) => condition(live, "Progressing")?.reason ?? "none");
  const changes = reasons.filter((reason, i) => reason !== reasons[i - 1] && reason !== "none");
  assert.equal(changes, ["ReplicaSetUpdated", "ProgressDeadlineExceeded"]);
  assert.is(condition(lives.at(-1), "Available").reason, "MinimumReplicasUnavailable");
  kube.simulator.faults.clear();
  await kube.when(
    deployment("a", "d"),
    (live) => live.status.readyReplicas === 1 && condition(live, "Progressing").status === "True",
  );
});

test("a missing image is pulled after the fault is removed", async () => {
  await makeNamespace(kube, "a");
  const id = kube.simulator.faults.missingImage("busybox");
  await kube.apply(deployment("a", "d"));
  const pods = "/api/v1/namespaces/a/pods";
  await until(async () =>
    (await kube.send("GET", pods)).body.items[0]?.status.containerStatuses?.[0].state.waiting?.reason ===
      "ImagePullBackOff"
  );
  kube.simulator.faults.remove(id);
  await kube.when(deployment("a", "d"), (live: Json) => live.status.readyReplicas === 1);
});

test("faults can be added and removed over HTTP", async () => {
  const path = "/simulator/faults";
  const made = await kube.send("POST", path, { type: "answer", status: 503, path: "/version" });
  assert.is(made.status, 201);
  assert.is((await kube.send("GET", "/version")).status, 503);
  assert.is((await kube.send("GET", path)).body.length, 1);
  assert.is((await kube.send("DELETE", `${path}/${made.body.id}`)).status, 200);
  assert.is((await kube.send("GET", "/version")).status, 200);
  assert.is((await kube.send("POST", path, { type: "meteor" })).status, 400);
});

async function version(): Promise<string> {
  return (await kube.send("GET", "/api/v1/namespaces")).body.metadata.resourceVersion;
}

test.run();
