/** Tests opening, persisting and closing the simulated cluster, and its watches, logs and applies. */
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createLog, SILENT_LOG } from "#lib/base/log.ts";
import { openSimulator } from "#lib/dev/simulator/open.ts";
import { deployment, job, type Json, type Kube, makeNamespace, openKube } from "#test/lib/dev/simulator/kube-client.ts";
import { until } from "#test/support/until.ts";

const test = suite("openSimulator");
let directory: string;
const opened: Kube[] = [];

test.before.each(async () => {
  directory = await mkdtemp(join(tmpdir(), "simulator-"));
});
test.after.each(async () => {
  for (const kube of opened.splice(0)) await kube.close();
  await rm(directory, { recursive: true });
});

async function open(options: Parameters<typeof openKube>[0] = {}): Promise<Kube> {
  const kube = await openKube(options);
  opened.push(kube);
  return kube;
}

function config(name: string, data: Json): Json {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "a" }, data };
}

test("restores its objects after a restart", async () => {
  const state = join(directory, "cluster.json");
  const first = await openKube({ state });
  await makeNamespace(first, "a");
  await first.apply(deployment("a", "d"));
  const before = await first.when(deployment("a", "d"), (live) => live.status.readyReplicas === 1);
  await first.run(job("a", "j", "echo kept"));
  await first.close();
  const second = await open({ state });
  const after = (await second.get(deployment("a", "d"))).body;
  assert.is(after.metadata.uid, before.metadata.uid);
  assert.is(after.status.readyReplicas, 1);
  assert.equal(await second.logOf("a", "j"), ["kept"]);
  await second.patch(deployment("a", "d"), { spec: { replicas: 2 } }, "/scale");
  await second.when(deployment("a", "d"), (live) => live.status.readyReplicas === 2);
  const { body } = await second.send("GET", `/api/v1/pods?watch=1&resourceVersion=${before.metadata.resourceVersion}`);
  assert.is(JSON.parse(body).object.code, 410, "what was before the restart cannot be watched");
});

test("keeps acknowledged writes after a kill", async () => {
  const [before, after] = [join(directory, "before"), join(directory, "after")];
  await mkdir(before);
  const killed = await open({ state: join(before, "cluster.json") });
  await makeNamespace(killed, "a");
  await killed.run(job("a", "j", "echo kept"));
  await killed.apply(config("c", { k: "1" }));
  await cp(before, after, { recursive: true });
  const next = await open({ state: join(after, "cluster.json") });
  assert.equal((await next.get(config("c", {}))).body.data, { k: "1" });
  assert.equal(await next.logOf("a", "j"), ["kept"]);
});

test("continues with a full disk, logs one warning, and saves again when space is free", async () => {
  const [before, after] = [join(directory, "before"), join(directory, "after")];
  const state = join(before, "cluster.json"), said: string[] = [];
  await mkdir(`${state}.tmp`, { recursive: true }); // the state cannot be written where a directory is
  const full = await open({
    state,
    log: createLog({ level: "info", format: "pretty", write: (line) => said.push(line) }),
  });
  const countLines = (pattern: RegExp) => said.filter((line) => pattern.test(line)).length;
  await makeNamespace(full, "a");
  await until(() => countLines(/error Cannot save the simulated cluster's state/) > 0);
  for (const name of ["b", "c"]) assert.is((await full.apply(config(name, { k: name }))).status, 201);
  await rm(`${state}.tmp`, { recursive: true });
  await until(() => countLines(/works again/) > 0);
  await full.apply(config("d", { k: "d" }));
  assert.equal([countLines(/Cannot save/), countLines(/works again/)], [1, 1]);
  await cp(before, after, { recursive: true });
  const next = await open({ state: join(after, "cluster.json") });
  for (const name of ["b", "c", "d"]) assert.equal((await next.get(config(name, {}))).body.data, { k: name });
});

test("loads the state file and the journals of Wheelwright 0.1.0", async () => {
  const state = join(directory, "cluster.json");
  const object = (name: string) => ({ ...config(name, { k: name }), metadata: { name, namespace: "a", uid: name } });
  const objects = ["b", "c"].map(object), empty = { volumes: [], logs: [] };
  await writeFile(state, JSON.stringify({ format: 1, journal: 1, version: 700, objects, ...empty }));
  const entry = (type: string, name: string, version: number) => ({ type, object: object(name), version });
  const lines = [entry("DELETED", "b", 701), entry("DELETED", "c", 702), entry("ADDED", "d", 703)];
  const journal = lines.map((line, i) => JSON.stringify({ number: i + 1, entry: line }) + "\n");
  await writeFile(`${state}.9`, journal[0]! + journal[1]);
  await writeFile(`${state}.10`, journal[2] + '{"number":4,"entry":{"ty');
  const kube = await open({ state });
  const statuses = ["b", "c", "d"].map(async (name) => (await kube.get(config(name, {}))).status);
  assert.equal(await Promise.all(statuses), [200, 404, 200], "line 1 is part of the state already");
  assert.equal((await readdir(directory)).filter((name) => name.startsWith("cluster.json.")), []);
});

test("fails to start with an invalid state file, and keeps the file", async () => {
  const state = join(directory, "cluster.json");
  await writeFile(state, "{ half a");
  const error = await openSimulator({ delayMs: 0, state, log: SILENT_LOG }).catch((error) => error);
  assert.match(error.message, /^Cannot load the simulated cluster's state from .*cluster\.json: /);
  assert.is(await readFile(state, "utf8"), "{ half a");
});

test("writes a kubeconfig without credentials", async () => {
  const { simulator } = await open();
  assert.match(simulator.kubeconfig(), new RegExp(`server: ${simulator.url}\n`));
  assert.match(simulator.kubeconfig(), /user: \{\}/);
});

test("records the writer of each change, and marks dry runs", async () => {
  const kube = await open();
  await makeNamespace(kube, "a");
  await kube.apply(config("c", { a: "1" }), "&dryRun=All");
  const [made, tried] = kube.simulator.writes();
  assert.equal([made!.method, made!.path, made!.status], ["POST", "/api/v1/namespaces", 201]);
  assert.equal([tried!.fieldManager, tried!.dryRun, tried!.userAgent], ["wheelwright", true, "test/1"]);
  assert.is((await kube.get(config("c", {}))).status, 404);
});

test("streams a followed log until the container ends", async () => {
  const kube = await open({ delayMs: 200 });
  await makeNamespace(kube, "a");
  await kube.create(job("a", "j", "echo one; echo two; echo three; echo four"));
  const pods = "/api/v1/namespaces/a/pods?labelSelector=job-name%3Dj";
  await kube.when(job("a", "j", ""), (live) => live.status.active === 1);
  const name = (await kube.send("GET", pods)).body.items[0].metadata.name;
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { name, namespace: "a" } };
  await kube.when(pod, (live) => live.status.containerStatuses?.[0].state.running);
  const answer = await fetch(`${kube.simulator.url}/api/v1/namespaces/a/pods/${name}/log?follow=true`);
  const pieces: string[] = [];
  for await (const piece of answer.body!.pipeThrough(new TextDecoderStream())) pieces.push(piece);
  assert.is(pieces.join(""), "one\ntwo\nthree\nfour\n");
  assert.ok(pieces.length > 1, "in more than one piece");
});

test("tracks field managers of single list items", async () => {
  const kube = await open();
  await makeNamespace(kube, "a");
  await kube.apply(deployment("a", "d", { env: [{ name: "A", value: "1" }, { name: "B", value: "2" }] }));
  const other = deployment("a", "d");
  other.spec = { template: { spec: { containers: [{ name: "m", env: [{ name: "C", value: "3" }] }] } } };
  const path = `${kube.path(other)}/d?fieldManager=other`;
  assert.is((await kube.send("PATCH", path, other, "application/apply-patch+yaml")).status, 200);
  const { body } = await kube.apply(deployment("a", "d", { env: [{ name: "B", value: "2" }] }));
  const names = body.spec.template.spec.containers[0].env.map((each: Json) => each.name).sort();
  assert.equal(names, ["B", "C"]);
  other.spec.template.spec.containers[0].env = [{ name: "B", value: "9" }];
  const refused = await kube.send("PATCH", path, other, "application/apply-patch+yaml");
  assert.is(refused.status, 409);
  const field = '.spec.template.spec.containers[name="m"].env[name="B"].value';
  assert.equal(refused.body.details.causes, [{
    reason: "FieldManagerConflict",
    message: 'conflict with "wheelwright"',
    field,
  }]);
});

test("rejects a patch whose test operation fails", async () => {
  const kube = await open();
  await makeNamespace(kube, "a");
  await kube.apply({
    ...config("c", { a: "1" }),
    metadata: { name: "c", namespace: "a", annotations: { "x/fence": "7" } },
  });
  const change = (fence: string) => [
    { op: "test", path: "/metadata/annotations/x~1fence", value: fence },
    { op: "replace", path: "/data/a", value: fence },
  ];
  assert.is((await kube.patch(config("c", {}), change("6"))).status, 422);
  assert.is((await kube.patch(config("c", {}), change("7"))).body.data.a, "7");
});

test("copies volumes in snapshots, and keeps retained contents after the namespace is deleted", async () => {
  const kube = await open();
  const space = await makeNamespace(kube, "a");
  const claim = {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "p", namespace: "a" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  };
  const using = deployment("a", "d");
  using.spec.template.spec.volumes = [{ name: "v", persistentVolumeClaim: { claimName: "p" } }];
  for (const object of [claim, using]) await kube.apply(object);
  await kube.when(claim, (live) => live.status.phase === "Bound");
  const snapshot = (name: string, volumeSnapshotClassName: string) => ({
    apiVersion: "snapshot.storage.k8s.io/v1",
    kind: "VolumeSnapshot",
    metadata: { name, namespace: "a" },
    spec: { volumeSnapshotClassName, source: { persistentVolumeClaimName: "p" } },
  });
  for (const object of [snapshot("kept", "standard-retain"), snapshot("lost", "standard")]) {
    await kube.apply(object);
    await kube.when(object, (live) => live.status?.readyToUse === true && live.status.restoreSize === "1Gi");
  }
  await kube.remove(space);
  await kube.gone(space);
  const left = kube.simulator.objects("VolumeSnapshotContent");
  assert.equal(left.map((content) => content.spec.volumeSnapshotRef.name), ["kept"]);
  assert.equal(kube.simulator.objects("PersistentVolume"), []);
});

test.run();
