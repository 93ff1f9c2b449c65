/** Tests the expansion of PVCs, its failures, and StatefulSets with a changed template. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { findQuotaViolation, parseMilliQuantityOrZero } from "#lib/dev/simulator/admission/quota.ts";
import { job, type Json, type Kube, makeNamespace, openKube } from "#test/lib/dev/simulator/kube-client.ts";

const test = suite("volume expansion");
let kube: Kube;

test.before.each(async () => {
  kube = await openKube();
  await makeNamespace(kube, "a");
});
test.after.each(() => kube.close());

const CLASS = { apiVersion: "storage.k8s.io/v1", kind: "StorageClass", metadata: { name: "standard" } };

function claim(storage = "5Gi", name = "data"): Json {
  const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } } };
  return { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { name, namespace: "a" }, spec };
}

function ask(storage: string): ReturnType<Kube["patch"]> {
  return kube.patch(claim(), [{ op: "replace", path: "/spec/resources/requests/storage", value: storage }]);
}

/** Creates a pod that mounts the PVC. */
async function mount(name: string): Promise<Json> {
  const user = job("a", name, "sleep 100000");
  user.spec.template.spec.volumes = [{ name: "v", persistentVolumeClaim: { claimName: "data" } }];
  user.spec.template.spec.containers[0].volumeMounts = [{ name: "v", mountPath: "/v" }];
  delete user.spec.activeDeadlineSeconds; // or it would end while the machine is busy with something else
  await kube.create(user);
  return user;
}

async function bound(): Promise<Json> {
  await kube.create(claim());
  const user = await mount("first");
  await kube.when(user, (live) => live.status?.ready === 1);
  await kube.when(claim(), (live) => live.status.phase === "Bound");
  return user;
}

function has(storage: string): (live: Json) => boolean {
  return (live) => live.status.capacity.storage === storage && live.status.conditions === undefined;
}

test("expands the volume first, then the mounted PVC", async () => {
  await bound();
  const { status, body } = await ask("8Gi");
  assert.equal([status, body.status.capacity.storage], [200, "5Gi"]);
  const { spec } = await kube.when(claim(), has("8Gi"));
  const volume = { apiVersion: "v1", kind: "PersistentVolume", metadata: { name: spec.volumeName } };
  assert.is((await kube.get(volume)).body.spec.capacity.storage, "8Gi");
  const reasons = kube.simulator.objects("Event").map(({ reason }) => reason);
  assert.ok(reasons.includes("FileSystemResizeRequired") && reasons.includes("FileSystemResizeSuccessful"));
});

test("waits for a pod that mounts the PVC", async () => {
  await kube.remove(await bound(), { propagationPolicy: "Background" });
  await kube.gone({ apiVersion: "batch/v1", kind: "Job", metadata: { name: "first", namespace: "a" } });
  await ask("8Gi");
  const pending = await kube.when(claim(), (live) => live.status.conditions?.[0]?.type === "FileSystemResizePending");
  assert.match(pending.status.conditions[0].message, /^Waiting for user to \(re-\)start a pod/);
  assert.is(pending.status.capacity.storage, "5Gi");
  await mount("second");
  await kube.when(claim(), has("8Gi"));
});

test("waits for a new pod if the file system cannot grow online", async () => {
  kube.simulator.faults.add({ type: "offline-expansion", name: "data" });
  await bound();
  await ask("8Gi");
  await kube.when(claim(), (live) => live.status.conditions?.[0]?.type === "FileSystemResizePending");
  assert.is((await kube.get(claim())).body.status.capacity.storage, "5Gi");
  await mount("second");
  await kube.when(claim(), has("8Gi"));
});

test("repeats its event while the driver rejects the expansion", async () => {
  await bound();
  const id = kube.simulator.faults.add({ type: "no-expansion", name: "data", message: "rpc error: no space" });
  await ask("8Gi");
  await kube.when(claim(), (live) => live.status.conditions?.[0]?.type === "Resizing");
  const [event] = kube.simulator.objects("Event").filter(({ reason }) => reason === "VolumeResizeFailed");
  assert.match(
    event!["message"],
    /^resize volume "pvc-\S+" by resizer "simulated.csi.example" failed: rpc error: no space$/,
  );
  kube.simulator.faults.remove(id);
  await kube.when(claim(), has("8Gi"));
});

test("is rejected if the storage class does not allow it, with the real message", async () => {
  await bound();
  await kube.patch(CLASS, { allowVolumeExpansion: false });
  const { status, body } = await ask("8Gi");
  assert.equal([status, body.reason], [403, "Forbidden"]);
  assert.is(
    body.message,
    'persistentvolumeclaims "data" is forbidden: only dynamically provisioned pvc can be resized and the storageclass ' +
      "that provisions the pvc must support resize",
  );
  assert.is((await kube.patch(claim(), { metadata: { labels: { a: "b" } } })).status, 200);
});

test("can be reduced only to a size above the current capacity", async () => {
  await bound();
  const smaller = await ask("4Gi");
  assert.equal([smaller.status, smaller.body.reason], [422, "Invalid"]);
  const why = "spec.resources.requests.storage: Forbidden: field can not be less than status.capacity";
  assert.ok(smaller.body.message.endsWith(why), smaller.body.message);
  kube.simulator.faults.add({ type: "no-expansion", name: "data", message: "never" });
  assert.is((await ask("20Gi")).status, 200);
  assert.is((await ask("5Gi")).status, 422); // as it is: the real one wants it to be more than that
  assert.is((await ask("6Gi")).status, 200);
});

test("counts toward the quota, and is rejected until the quota status is updated", async () => {
  const quota = (storage: string) => ({
    apiVersion: "v1",
    kind: "ResourceQuota",
    metadata: { name: "spoke", namespace: "a" },
    spec: { hard: { "requests.storage": storage } },
  });
  await kube.apply(quota("10Gi"));
  await kube.when(quota(""), (live) => live.status.used !== undefined);
  await bound();
  const refused = await ask("20Gi");
  assert.is(refused.status, 403);
  assert.match(
    refused.body.message,
    /exceeded quota: spoke, requested: requests.storage=15Gi, used: requests.storage=5Gi, /,
  );
  await kube.apply(quota("20Gi"));
  await kube.when(quota(""), (live) => live.status.hard["requests.storage"] === "20Gi");
  assert.is((await ask("20Gi")).status, 200);
  await kube.when(quota(""), (live) => live.status.used["requests.storage"] === "20Gi");
});

test("uses the quota's status, which follows the spec after a delay", () => {
  const hard = (storage: string) => ({ "requests.storage": storage });
  const quota = { ...claim(), spec: { hard: hard("20Gi") }, status: { hard: hard("10Gi"), used: hard("5Gi") } };
  const [used, cost] = [{ "requests.storage": parseMilliQuantityOrZero("5Gi") }, {
    "requests.storage": parseMilliQuantityOrZero("15Gi"),
  }];
  assert.match(findQuotaViolation(quota, used, cost, used, null)!, /limited: requests.storage=10Gi$/);
  const observed = { ...quota, status: { hard: hard("20Gi"), used: hard("5Gi") } };
  assert.is(findQuotaViolation(observed, used, cost, used, null), null);
});

test("blocks a StatefulSet's rollout while its pod is unready, until the pod is deleted", async () => {
  const set = (image: string) => ({
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name: "s", namespace: "a" },
    spec: {
      serviceName: "s",
      selector: { matchLabels: { app: "s" } },
      template: { metadata: { labels: { app: "s" } }, spec: { containers: [{ name: "m", image }] } },
    },
  });
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "s-0", namespace: "a" } };
  const fault = kube.simulator.faults.add({ type: "missing-image", image: "nowhere" });
  await kube.apply(set("nowhere:1"));
  const stuck = await kube.when(
    pod,
    (live) => /Err|BackOff/.test(live.status.containerStatuses?.[0].state.waiting?.reason),
  );
  await kube.apply(set("busybox:1.35"));
  await kube.when(
    set(""),
    (live) => live.status.observedGeneration === 2 && live.status.updateRevision !== live.status.currentRevision,
  );
  assert.is((await kube.get(pod)).body.metadata.uid, stuck.metadata.uid);
  await kube.remove(pod);
  await kube.when(set(""), (live) => live.status.readyReplicas === 1);
  assert.is((await kube.get(pod)).body.spec.containers[0].image, "busybox:1.35");
  kube.simulator.faults.remove(fault);
});

test.run();
