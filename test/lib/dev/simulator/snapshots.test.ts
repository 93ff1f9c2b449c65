import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SILENT_LOG } from "#lib/base/log.ts";
import { openSimulator, type Simulator } from "#lib/dev/simulator/open.ts";
import { API, ask, content, cut, one, ready, room, snapshot } from "#test/lib/dev/simulator/snapshot-fixtures.ts";
import { until } from "#test/support/until.ts";

const test = suite<{ kube: Simulator }>("snapshots in the simulated cluster");
test.before(async (context) => void (context.kube = await openSimulator({ delayMs: 5, log: SILENT_LOG })));
test.after(({ kube }) => kube.close());

test("are bound to their contents in both directions, with finalizers", async ({ kube }) => {
  const namespace = await room(kube);
  await cut(kube, namespace, "a", "standard-retain");
  const { metadata, status } = await ready(kube, namespace, "a"), bound = content(kube, namespace, "a")!;
  assert.equal(metadata.finalizers, [
    "snapshot.storage.kubernetes.io/volumesnapshot-as-source-protection",
    "snapshot.storage.kubernetes.io/volumesnapshot-bound-protection",
  ]);
  assert.equal(bound.metadata.finalizers, [
    "snapshot.storage.kubernetes.io/volumesnapshotcontent-bound-protection",
  ]);
  assert.equal([bound.metadata.namespace, bound.spec.volumeSnapshotRef.uid, bound.spec.deletionPolicy], [
    undefined,
    metadata.uid,
    "Retain",
  ]);
  assert.is(status.boundVolumeSnapshotContentName, bound.metadata.name);
  assert.equal([status.restoreSize, bound.status.restoreSize, bound.status.readyToUse], ["3Gi", 3 * 1024 ** 3, true]);
  assert.match(bound.status.snapshotHandle, /^snapshot-/);
});

test("keep their content with the policy Retain, and delete it with Delete", async ({ kube }) => {
  const namespace = await room(kube);
  for (
    const [name, className] of [["kept", "standard-retain"], ["lost", "standard"], ["told", "standard-retain"]] as const
  ) {
    await cut(kube, namespace, name, className);
    await ready(kube, namespace, name);
  }
  const contentName = content(kube, namespace, "told")!.metadata.name;
  const change = [{ op: "replace", path: "/spec/deletionPolicy", value: "Delete" }];
  assert.is(await ask(kube, "PATCH", `${API}/volumesnapshotcontents/${contentName}`, change), 200);
  for (const name of ["kept", "lost", "told"]) await ask(kube, "DELETE", one(namespace, name));
  await until(() => ["kept", "lost", "told"].every((name) => !snapshot(kube, namespace, name)));
  const left = kube.objects("VolumeSnapshotContent").filter(({ spec }) =>
    spec.volumeSnapshotRef.namespace === namespace
  );
  assert.equal(left.map(({ spec }) => spec.volumeSnapshotRef.name), ["kept"]);
});

test("are deleted after their content", async ({ kube }) => {
  const namespace = await room(kube);
  await cut(kube, namespace, "a", "standard");
  await ready(kube, namespace, "a");
  await ask(kube, "DELETE", one(namespace, "a"));
  await until(() => !snapshot(kube, namespace, "a"));
  const ends = kube.history().filter(({ type, kind }) => type === "DELETED" && kind.startsWith("VolumeSnapshot"));
  assert.equal(ends.slice(-2).map(({ kind }) => kind), ["VolumeSnapshotContent", "VolumeSnapshot"]);
});

test("keep a deleted content until they are deleted", async ({ kube }) => {
  const namespace = await room(kube);
  await cut(kube, namespace, "a", "standard-retain");
  await ready(kube, namespace, "a");
  const { name } = content(kube, namespace, "a")!.metadata;
  await ask(kube, "DELETE", `${API}/volumesnapshotcontents/${name}`);
  assert.ok(content(kube, namespace, "a")!.metadata.deletionTimestamp);
  await ask(kube, "DELETE", one(namespace, "a"));
  await until(() => !snapshot(kube, namespace, "a") && !content(kube, namespace, "a"));
});

test("are deleted with their namespace, except retained contents", async ({ kube }) => {
  const namespace = await room(kube);
  await cut(kube, namespace, "kept", "standard-retain");
  await cut(kube, namespace, "lost", "standard");
  await Promise.all(["kept", "lost"].map((name) => ready(kube, namespace, name)));
  await ask(kube, "DELETE", `/api/v1/namespaces/${namespace}`);
  await until(() => !kube.objects("Namespace").some(({ metadata }) => metadata.name === namespace));
  assert.ok(content(kube, namespace, "kept")!.status.snapshotHandle);
  assert.is(content(kube, namespace, "lost"), undefined);
});

test("report a failing driver with the time of the first error, and recover", async ({ kube }) => {
  const namespace = await room(kube);
  const fault = kube.faults.add({ type: "no-snapshot", name: `${namespace}/`, message: "the pool is full" });
  await cut(kube, namespace, "a", "standard-retain");
  const { status } = await until(() => {
    const found = snapshot(kube, namespace, "a");
    return found?.status?.error && found;
  });
  assert.equal([status.readyToUse, status.error.message], [false, "the pool is full"]);
  assert.is(content(kube, namespace, "a")!.status?.snapshotHandle, undefined);
  kube.faults.remove(fault);
  assert.is((await ready(kube, namespace, "a")).status.error, undefined);
});

test("are created but not ready while they are delayed", async ({ kube }) => {
  const namespace = await room(kube);
  const fault = kube.faults.unready(`${namespace}/a`);
  await cut(kube, namespace, "a", "standard-retain");
  await until(() => content(kube, namespace, "a")?.status?.snapshotHandle);
  assert.is(snapshot(kube, namespace, "a")!.status.readyToUse, false);
  kube.faults.remove(fault);
  await ready(kube, namespace, "a");
});

test.run();
