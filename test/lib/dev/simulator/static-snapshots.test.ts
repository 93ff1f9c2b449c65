/** Tests manually created VolumeSnapshotContents for existing snapshots, and volumes from them. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SILENT_LOG } from "#lib/base/log.ts";
import { openSimulator, type Simulator } from "#lib/dev/simulator/open.ts";
import type { StoredObject } from "#lib/dev/simulator/store/object.ts";
import { API, ask, content, cut, one, ready, room, snapshot } from "#test/lib/dev/simulator/snapshot-fixtures.ts";
import { postObject } from "#test/support/fake-spokes.ts";
import { until } from "#test/support/until.ts";

const test = suite<{ kube: Simulator; handle: string; target: string }>(
  "volumes from handles in the simulated cluster",
);
const DRIVER = "simulated.csi.example";

test.before(async (context) => {
  const kube = context.kube = await openSimulator({ delayMs: 5, log: SILENT_LOG }), source = await room(kube);
  await cut(kube, source, "a", "standard-retain");
  await ready(kube, source, "a");
  context.handle = content(kube, source, "a")!.status.snapshotHandle;
  await ask(kube, "DELETE", `/api/v1/namespaces/${source}`);
});
test.before.each(async (context) => void (context.target = await room(context.kube)));
test.after(({ kube }) => kube.close());

const nameOf = (namespace: string) => `hand-${namespace}`;

async function plant(kube: Simulator, namespace: string, spec: object): Promise<void> {
  const own = { deletionPolicy: "Retain", driver: DRIVER, volumeSnapshotRef: { name: "from", namespace }, ...spec };
  await postObject(kube.url, `${API}/volumesnapshotcontents`, { metadata: { name: nameOf(namespace) }, spec: own });
}

async function name(
  kube: Simulator,
  namespace: string,
  called = "from",
  of = nameOf(namespace),
  more = {},
): Promise<void> {
  const spec = { source: { volumeSnapshotContentName: of }, ...more };
  await postObject(kube.url, `${API}/namespaces/${namespace}/volumesnapshots`, { metadata: { name: called }, spec });
}

/** Creates a PVC and a pod that uses it. */
async function claim(kube: Simulator, namespace: string, storage: string, more = {}): Promise<void> {
  const dataSource = { apiGroup: "snapshot.storage.k8s.io", kind: "VolumeSnapshot", name: "from" };
  await postObject(kube.url, `/api/v1/namespaces/${namespace}/persistentvolumeclaims`, {
    metadata: { name: "restored", annotations: { "volume.kubernetes.io/selected-node": "127.0.0.1" } },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } }, dataSource, ...more },
  });
}

const restored = (kube: Simulator, namespace: string) =>
  kube.objects("PersistentVolumeClaim").find(({ metadata }) =>
    metadata.namespace === namespace && metadata.name === "restored"
  );
const bound = (kube: Simulator, namespace: string) => until(() => restored(kube, namespace)?.status?.phase === "Bound");

async function eventMessage(kube: Simulator, reason: string, about: (event: StoredObject) => boolean): Promise<string> {
  const found = await until(() => kube.objects("Event").findLast((each) => each.reason === reason && about(each)));
  return found.message;
}
const ofClaim = (namespace: string) => ({ involvedObject, metadata }: StoredObject) =>
  metadata.namespace === namespace && involvedObject.name === "restored";

test("are bound to their snapshot, report its size, and outlive it", async ({ kube, handle, target }) => {
  await plant(kube, target, { source: { snapshotHandle: handle } });
  await name(kube, target);
  const { metadata, status } = await ready(kube, target, "from"), { spec, ...own } = content(kube, target, "from")!;
  assert.equal([spec.volumeSnapshotRef.uid, own.status.snapshotHandle], [metadata.uid, handle]);
  assert.equal([status.restoreSize, status.boundVolumeSnapshotContentName], ["3Gi", nameOf(target)]);
  await claim(kube, target, "4Gi");
  await bound(kube, target);
  await ask(kube, "DELETE", one(target, "from"));
  await until(() => !snapshot(kube, target, "from"));
  await ask(kube, "DELETE", `${API}/volumesnapshotcontents/${nameOf(target)}`);
  await until(() => !content(kube, target, "from"));
  await plant(kube, target, { source: { snapshotHandle: handle } }); // the storage has it still
  await name(kube, target);
  await ready(kube, target, "from");
});

test("are deleted immediately without a bound snapshot", async ({ kube, handle, target }) => {
  await plant(kube, target, { source: { snapshotHandle: handle } });
  await ask(kube, "DELETE", `${API}/volumesnapshotcontents/${nameOf(target)}`);
  assert.is(content(kube, target, "from"), undefined);
});

for (
  const [what, spec, words] of [
    ["nobody made", null, /^VolumeSnapshotContent is missing$/],
    [
      "is another snapshot's",
      { volumeSnapshotRef: { name: "other" } },
      /^VolumeSnapshotContent \[hand-.*\] is bound to a different snapshot$/,
    ],
    [
      "is of a volume",
      { source: { volumeHandle: "pvc" } },
      /is dynamically provisioned while expecting a pre-provisioned one$/,
    ],
    [
      "names what the storage does not have",
      { source: { snapshotHandle: "nothing" } },
      /^Failed to check and update snapshot content: failed to list snapshot for content hand-\S+: "can not find snapshot for snapshotID nothing"$/,
    ],
  ] as const
) {
  test(`are not ready if the content ${what}, and report it`, async ({ kube, handle, target }) => {
    const { volumeSnapshotRef: of, ...own } = { source: { snapshotHandle: handle }, ...spec } as Record<string, object>;
    const ref = { name: "from", namespace: target, ...of };
    if (spec) await plant(kube, target, { ...own, volumeSnapshotRef: ref });
    await name(kube, target);
    const { status } = await until(() => {
      const found = snapshot(kube, target, "from");
      return found?.status?.error && found;
    });
    assert.match(status.error.message, words);
    assert.is(status.readyToUse, false);
  });
}

test("report a missing class, and ignore another driver", async ({ kube, handle, target }) => {
  await plant(kube, target, { source: { snapshotHandle: handle }, driver: "elsewhere.example" });
  await name(kube, target, "other", nameOf(target), { volumeSnapshotClassName: "nope" });
  const why = 'Failed to get snapshot class with error volumesnapshotclass.snapshot.storage.k8s.io "nope" not found';
  assert.is((await until(() => snapshot(kube, target, "other")?.status?.error)).message, why);
  await name(kube, target);
  await until(() => content(kube, target, "from")!.spec.volumeSnapshotRef.uid);
  assert.equal(Object.keys(snapshot(kube, target, "from")!.status).sort(), [
    "boundVolumeSnapshotContentName",
    "readyToUse",
  ]);
});

test("are rejected if they are too small, use another driver, or lack a snapshot", async ({ kube, handle, target }) => {
  const failed = 'failed to provision volume with StorageClass "standard": error getting handle for DataSource Type ' +
    "VolumeSnapshot by Name from: ";
  const messages = () => eventMessage(kube, "ProvisioningFailed", ofClaim(target));
  await claim(kube, target, "2Gi");
  const missing =
    'error getting snapshot from from api server: volumesnapshots.snapshot.storage.k8s.io "from" not found';
  assert.is(await messages(), failed + missing);
  await plant(kube, target, { source: { snapshotHandle: handle } });
  await name(kube, target);
  await ready(kube, target, "from");
  await until(async () =>
    (await messages()) ===
      `${failed}requested volume size 2147483648 is less than the size 3221225472 for the source snapshot from`
  );
  await ask(kube, "DELETE", `/api/v1/namespaces/${target}/persistentvolumeclaims/restored`);
  await until(() => !restored(kube, target));
  const storage = { provisioner: "other.example", reclaimPolicy: "Delete", volumeBindingMode: "Immediate" };
  await postObject(kube.url, "/apis/storage.k8s.io/v1/storageclasses", {
    metadata: { name: `other-${target}` },
    ...storage,
  });
  await claim(kube, target, "3Gi", { storageClassName: `other-${target}` });
  const foreign = `snapshotcontent ${
    nameOf(target)
  } for snapshot from is not handled by CSI driver of StorageClass other-${target}`;
  await until(async () => (await messages()).endsWith(foreign));
});

test("protect their source snapshot until they are created", async ({ kube, handle, target }) => {
  await plant(kube, target, { source: { snapshotHandle: handle } });
  await name(kube, target);
  await ready(kube, target, "from");
  const fault = kube.faults.add({ type: "no-volume", name: `${target}/restored`, message: "the pool is full" });
  await claim(kube, target, "3Gi");
  await eventMessage(kube, "ProvisioningFailed", ofClaim(target));
  await ask(kube, "DELETE", one(target, "from"));
  const pending = (event: StoredObject) => event.metadata.namespace === target;
  assert.is(await eventMessage(kube, "SnapshotDeletePending", pending), "Snapshot is being used to restore a PVC");
  assert.ok(snapshot(kube, target, "from"));
  kube.faults.remove(fault);
  await ask(kube, "DELETE", `/api/v1/namespaces/${target}/persistentvolumeclaims/restored`);
  await until(() => !snapshot(kube, target, "from"));
});

test.run();
