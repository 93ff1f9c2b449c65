/** Tests the recorded writes and changes of a simulated cluster. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { StoredObject } from "#lib/dev/simulator/store/object.ts";
import { createWriteRecorder } from "#lib/dev/simulator/store/recorder.ts";
import { createObjectStore } from "#lib/dev/simulator/store/store.ts";
import { job, type Json, type Kube, makeNamespace, openKube } from "#test/lib/dev/simulator/kube-client.ts";
import { startProgram } from "#test/support/program.ts";

const FENCE = "example.dev/fence", POINTER = "/metadata/annotations/example.dev~1fence";
const config = (data: Json, annotations?: Json): Json => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "c", namespace: "a", ...(annotations && { annotations }) },
  data,
});

const http = suite<{ kube: Kube }>("GET /simulator/writes and /simulator/history");
http.before.each(async (context) => void (context.kube = await openKube()));
http.after.each(({ kube }) => kube.close());

http("return the writer, the object, whether it changed, and its new version", async ({ kube }) => {
  await makeNamespace(kube, "a");
  const made = (await kube.apply(config({ k: "1" }))).body.metadata.resourceVersion;
  await kube.apply(config({ k: "1" }));
  await kube.apply(config({ k: "2" }), "&dryRun=All");
  await kube.patch(config({}), { data: { k: "3" } });
  await kube.patch(config({}), [{ op: "test", path: "/data/k", value: "none" }]);
  const live = (await kube.get(config({}))).body.metadata.resourceVersion;
  await kube.remove(config({}));
  await kube.remove(config({}));
  const { status, body } = await kube.send("GET", "/simulator/writes?since=1");
  assert.is(status, 200);
  const entries = body.map((each: Json) => [each.n, each.method, each.status, each.changed, each.resourceVersion]);
  assert.equal(entries, [
    [2, "PATCH", 201, true, made],
    [3, "PATCH", 200, false, made],
    [4, "PATCH", 200, false, made],
    [5, "PATCH", 200, true, live],
    [6, "PATCH", 422, false, null],
    [7, "DELETE", 200, true, null],
    [8, "DELETE", 404, false, null],
  ]);
  const [first, , dry] = body;
  assert.equal([first.fieldManager, first.userAgent, first.dryRun], ["wheelwright", "test/1", false]);
  assert.is(dry.dryRun, true);
  assert.match(first.path, /^\/api\/v1\/namespaces\/a\/configmaps\/c\?fieldManager=/);
  assert.ok(Math.abs(Date.parse(first.at) - Date.now()) < 60_000);
});

http("return the fence from a label, an annotation, a JSON Patch or a Job's name", async ({ kube }) => {
  await makeNamespace(kube, "a");
  const labelled = job("a", "install-17", "exit 0");
  labelled.metadata.labels = { [FENCE]: "17" };
  await kube.create(labelled);
  await kube.create(config({}, { [FENCE]: "18" }));
  const test = { op: "test", path: POINTER, value: "18" };
  await kube.patch(config({}), [test, { op: "replace", path: POINTER, value: "19" }]);
  await kube.patch(config({}), [{ op: "add", path: "/metadata/annotations", value: { [FENCE]: "20" } }]);
  await kube.patch(config({}), [{ op: "test", path: POINTER, value: "20" }]);
  await kube.remove(job("a", "install-17", ""));
  await kube.send("POST", "/api/v1/namespaces/a/configmaps", '{"example.dev/fence');
  const { body } = await kube.send("GET", "/simulator/writes?since=1");
  assert.equal(body.map(({ fence }: Json) => fence), ["17", "18", "19", "20", null, "17", null]);
});

http("return each change of a kind, with its write", async ({ kube }) => {
  await makeNamespace(kube, "a");
  const done = (await kube.run(job("a", "j", "exit 3"))).job;
  const { body } = await kube.send("GET", "/simulator/history?kind=Job");
  assert.ok(body.every((each: Json) => each.kind === "Job" && each.name === "j" && each.uid === done.metadata.uid));
  assert.equal([body[0].type, body[0].write, body[0].failed], ["ADDED", 2, 0]);
  const last = body.at(-1);
  assert.equal([last.type, last.write, last.failed, last.active], ["MODIFIED", null, 1, 0]);
  assert.is(last.resourceVersion, done.metadata.resourceVersion);
  assert.ok(last.conditions.includes("Failed=True:BackoffLimitExceeded"), JSON.stringify(last));
  const versions = body.map(({ resourceVersion }: Json) => Number(resourceVersion));
  assert.equal(versions, [...versions].sort((a, b) => a - b));
  const later = await kube.send("GET", `/simulator/history?kind=Job&namespace=a&name=j&since=${last.n - 1}&limit=5`);
  assert.equal(later.body, [last]);
  assert.equal((await kube.send("GET", "/simulator/history?kind=Job&namespace=b")).body, []);
});

http("reject invalid queries and writes", async ({ kube }) => {
  for (const query of ["since=-1", "since=x", "limit=1e3", "since="]) {
    assert.is((await kube.send("GET", `/simulator/writes?${query}`)).status, 400, query);
  }
  assert.is((await kube.send("DELETE", "/simulator/history")).status, 405);
});

const record = suite("openRecorder");
const requested = { method: "PATCH", target: "/api/v1/x", text: "", userAgent: "test" };

function fill(keep: "the last" | "everything"): { writes: number[]; history: number[] } {
  const store = createObjectStore();
  const recorder = createWriteRecorder(store, { keep, now: () => 0 });
  const object = { ...config({}), metadata: { name: "c", namespace: "a", uid: "u" } } as StoredObject;
  for (let i = 0; i < 45_000; i++) {
    store.save(object);
    recorder.note(requested, 200);
  }
  return { writes: recorder.writes().map(({ n }) => n), history: recorder.history().map(({ n }) => n) };
}

record("deletes the oldest entries, and keeps the numbering", () => {
  for (const numbers of Object.values(fill("the last"))) {
    assert.ok(numbers.length >= 20_000 && numbers.length <= 40_000, `${numbers.length}`);
    assert.is(numbers.at(-1), 45_000);
    assert.is(numbers[0], 45_001 - numbers.length);
  }
});

record("keeps all entries if there is no limit", () => {
  const { writes, history } = fill("everything");
  assert.equal([writes.length, history.length], [45_000, 45_000]);
});

const command = suite("wheelwright simulate --record");

command("is available over HTTP in a separate process", async () => {
  const directory = await mkdtemp(join(tmpdir(), "simulate-"));
  const kubeconfig = join(directory, "kubeconfig");
  const program = startProgram(["simulate", "--record", "--kubeconfig", kubeconfig], { SIMULATOR_DELAY_MS: "0" });
  try {
    const url = (await program.said(/^Simulated cluster on /)).split(" ").at(-1)!;
    assert.match(await readFile(kubeconfig, "utf8"), url);
    const body = JSON.stringify({ apiVersion: "v1", kind: "Namespace", metadata: { name: "a" } });
    const headers = { "content-type": "application/json", "user-agent": "somebody/2" };
    assert.is((await fetch(`${url}/api/v1/namespaces`, { method: "POST", headers, body })).status, 201);
    const [write, ...rest] = await (await fetch(`${url}/simulator/writes`)).json();
    assert.equal([write.n, write.userAgent, write.changed, rest], [1, "somebody/2", true, []]);
  } finally {
    assert.is(await program.stop(), 0);
    await rm(directory, { recursive: true });
  }
});

http.run();
record.run();
command.run();
