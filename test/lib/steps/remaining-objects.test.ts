import { readdir, readFile } from "node:fs/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ProgressOf } from "#lib/operations/plan.ts";
import type { RECORDED_VOLUMES } from "#lib/operations/progress.ts";
import { type Cluster, ClusterError, type KubeObject, type ObjectRef } from "#lib/drivers/cluster/cluster.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import {
  KINDS_SEARCHED_BY_LABEL,
  KINDS_SEARCHED_BY_NAMESPACE,
  recordVolumes,
  waitForObjectDeletion,
} from "#lib/steps/remaining-objects.ts";
import { rejection } from "#test/support/until.ts";

type Kind = Omit<ObjectRef, "name">;

/** The remaining objects by kind. A ClusterError instead of a list is thrown. */
interface Left {
  readonly anywhere?: Readonly<Record<string, readonly KubeObject[]>>;
  readonly under?: Readonly<Record<string, readonly KubeObject[] | ClusterError>>;
  readonly volumes?: Readonly<Record<string, KubeObject | ClusterError>>;
  readonly namespace?: KubeObject;
}

const HOLDING = { namespace: "spoke-oak-1", uid: "uid", federationId: "fed_1", spokeId: "spk_1" };

function object(kind: string, name: string, metadata: object = {}, rest: object = {}): KubeObject {
  return { apiVersion: "v1", kind, metadata: { name, ...metadata }, ...rest };
}

function unable(status: number): ClusterError {
  return new ClusterError(status === 403 ? "Forbidden" : "NotFound", "no", { transient: false, status });
}

/** Creates a cluster with these remaining objects, and a run that checks once. */
function scene(left: Left, progress: Record<string, unknown> = {}) {
  const requests: string[] = [];
  const give = <T>(found: T | ClusterError | undefined, none: T): Promise<T> =>
    found instanceof ClusterError ? Promise.reject(found) : Promise.resolve(found ?? none);
  const cluster = {
    listAll: (kind: Kind, selector: string) => {
      requests.push(`${kind.kind} ${selector}`);
      return give(left.anywhere?.[kind.kind], []);
    },
    listUnder: (kind: Kind, namespace: string) => {
      requests.push(`${kind.kind} in ${namespace}`);
      return give(left.under?.[kind.kind], []);
    },
    find: ({ name }: ObjectRef) => give<KubeObject | null>(left.volumes?.[name], null),
    findNamespace: () => Promise.resolve(left.namespace ?? null),
  } as unknown as Cluster;
  const job = { progress };
  const run = {
    job,
    signal: new AbortController().signal,
    timeLeft: () => 0,
    showProgress: () => {},
    saveProgress: (values: object) => Promise.resolve(void (job.progress = { ...job.progress, ...values })),
  } as unknown as JobRun<ProgressOf<typeof RECORDED_VOLUMES>>;
  return { cluster, run, asked: requests, job };
}

async function refusal(left: Left, progress?: Record<string, unknown>): Promise<ClusterError> {
  const { cluster, run } = scene(left, progress);
  return await rejection(waitForObjectDeletion({ cluster, holding: HOLDING }, run)) as unknown as ClusterError;
}

/** `v1 Secret`, for each kind in the golden files of the blueprint that stands in a namespace. */
async function renderedKinds(): Promise<string[]> {
  const folder = new URL("../../golden/blueprint/", import.meta.url);
  const texts = await Promise.all((await readdir(folder)).map((name) => readFile(new URL(name, folder), "utf8")));
  const found = texts.flatMap((text) => [...text.matchAll(/^apiVersion: (\S+)\nkind: (\S+)$/gm)]);
  return [...new Set(found.map(([, apiVersion, kind]) => `${apiVersion} ${kind}`))]
    .filter((kind) => !["v1 Namespace", "v1 Secret", "cert-manager.io/v1 ClusterIssuer"].includes(kind));
}

const test = suite("waitForObjectDeletion");

test("searches each kind that a blueprint renders.", async () => {
  const kinds = new Set(KINDS_SEARCHED_BY_NAMESPACE.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`));
  const rendered = await renderedKinds();
  assert.ok(rendered.length > 10, rendered.join(", "));
  assert.equal(rendered.filter((kind) => !kinds.has(kind)), []);
});

test("succeeds in an empty cluster after searching all kinds.", async () => {
  const { cluster, run, asked: requests } = scene({});
  await waitForObjectDeletion({ cluster, holding: HOLDING }, run);
  assert.is(requests.length, KINDS_SEARCHED_BY_LABEL.length + KINDS_SEARCHED_BY_NAMESPACE.length);
  assert.ok(requests.includes("Pod app.kubernetes.io/managed-by=wheelwright,wheelwright.dev/spoke=spk_1"));
  assert.ok(requests.includes("ConfigMap in spoke-oak-1"));
  assert.not(requests.some((each) => each.startsWith("Secret")));
});

test("searches the objects of a hub, and not those of its spokes.", async () => {
  const { cluster, run, asked: requests } = scene({});
  await waitForObjectDeletion({ cluster, holding: { ...HOLDING, spokeId: null } }, run);
  assert.ok(
    requests.includes(
      "Pod app.kubernetes.io/managed-by=wheelwright,wheelwright.dev/federation=fed_1,!wheelwright.dev/spoke",
    ),
  );
});

test("reports objects with the label in other namespaces, and their finalizers.", async () => {
  const stray = await refusal({ anywhere: { Pod: [object("Pod", "web", { namespace: "shop" })] } });
  assert.equal([stray.code, stray.transient, stray.blame, stray.message], [
    ...["Remaining", true, "operator", "Pod web in namespace shop still exists"],
  ]);
  assert.match(stray.hint!, /delete it, or remove the label/);
  const going = { namespace: "shop", deletionTimestamp: "2026-11-21T12:03:44Z", finalizers: ["example.org/lb"] };
  const held = await refusal({ anywhere: { Ingress: [object("Ingress", "site", going)] } });
  assert.is(
    held.message,
    "Ingress site in namespace shop still exists, being deleted since 2026-11-21 12:03 UTC, held by the finalizer example.org/lb",
  );
  assert.match(held.hint!, /Repair the controller/);
});

test("finds unlabelled objects of a force-deleted namespace.", async () => {
  const claim = object("PersistentVolumeClaim", "files", { namespace: "spoke-oak-1" });
  const error = await refusal({ under: { PersistentVolumeClaim: [claim] } });
  assert.is(error.message, "PersistentVolumeClaim files in namespace spoke-oak-1 still exists");
  assert.match(error.hint!, /after a forced deletion of its namespace/);
});

test("ignores a namespace that was created again.", async () => {
  const { cluster, run, asked: requests } = scene({
    namespace: object("Namespace", "spoke-oak-1"),
    under: { Service: [object("Service", "theirs")] },
  });
  await waitForObjectDeletion({ cluster, holding: HOLDING }, run);
  assert.is(requests.length, KINDS_SEARCHED_BY_LABEL.length);
});

test("skips kinds that the cluster does not serve, and notes kinds that it may not list.", async () => {
  const { cluster, run, job } = scene({
    under: { Certificate: unable(404), ConfigMap: unable(403), Service: unable(403) },
  });
  await waitForObjectDeletion({ cluster, holding: HOLDING }, run);
  assert.equal(job.progress, {
    notes: ["Cannot check whether objects of these kinds remain: Service, ConfigMap (no permission)"],
  });
});

test("throws other errors of the cluster.", async () => {
  const broken = new ClusterError("InternalError", "etcd", { transient: true, status: 500 });
  assert.is(await refusal({ under: { Service: broken } }), broken);
});

const volumes = [{ claim: "files", claimUid: "c-1", volume: "pvc-1" }];

function volume(policy: string, claimUid: string, status: object = {}): KubeObject {
  const spec = { persistentVolumeReclaimPolicy: policy, claimRef: { uid: claimUid } };
  return object("PersistentVolume", "pvc-1", {}, { spec, status });
}

test("waits for the deletion of a volume, and reports the reason of a delay.", async () => {
  const failed = volume("Delete", "c-1", { phase: "Failed", message: "rpc error: the disk is attached" });
  const error = await refusal({ volumes: { "pvc-1": failed } }, { volumes });
  assert.is(
    error.message,
    "The volume pvc-1 of the PVC files still exists, Failed: rpc error: the disk is attached",
  );
  assert.match(error.hint!, /storage driver/);
});

test("notes a retained volume, and one that it may not read.", async () => {
  const retained = scene({ volumes: { "pvc-1": volume("Retain", "c-1") } }, { volumes });
  await waitForObjectDeletion({ ...retained, holding: HOLDING }, retained.run);
  assert.match(String(retained.job.progress.notes), /^The volume pvc-1 of the PVC files is kept/);
  const unseen = scene({ volumes: { "pvc-1": unable(403) } }, { volumes });
  await waitForObjectDeletion({ ...unseen, holding: HOLDING }, unseen.run);
  assert.match(String(unseen.job.progress.notes), /^Cannot check whether the volume pvc-1 is deleted/);
});

test("does not wait for a volume of another PVC.", async () => {
  const { cluster, run } = scene({ volumes: { "pvc-1": volume("Delete", "c-2") } }, { volumes });
  await waitForObjectDeletion({ cluster, holding: HOLDING }, run);
});

test("records the volumes before their PVCs are deleted, and only once.", async () => {
  const bound = object("PersistentVolumeClaim", "files", { uid: "c-1" }, { spec: { volumeName: "pvc-1" } });
  const pending = object("PersistentVolumeClaim", "data-db-0", { uid: "c-2" }, { spec: {} });
  const before = scene({ under: { PersistentVolumeClaim: [bound, pending] } });
  await recordVolumes(before.cluster, before.run, HOLDING.namespace);
  assert.equal(before.job.progress.volumes, volumes);
  const after = scene({}, { volumes });
  await recordVolumes(after.cluster, after.run, HOLDING.namespace);
  assert.equal(after.job.progress.volumes, volumes);
});

test.run();
