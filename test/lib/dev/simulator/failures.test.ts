/** Tests failures of the simulated cluster against messages of a real cluster. */
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

const test = suite("failures");
let kube: Kube;

test.before.each(async () => {
  kube = await openKube({ node: { cpu: "2", memory: "4Gi", pods: "110" } });
});
test.after.each(() => kube.close());

const LIMITED = { resources: { limits: { cpu: "1", memory: "1Gi" } } };

async function apply(...objects: Json[]): Promise<void> {
  for (const object of objects) {
    const { status, body } = await kube.apply(object);
    assert.ok(status < 300, JSON.stringify(body));
  }
}

function withContainer(of: Json, more: Json): Json {
  Object.assign(of.spec.template.spec.containers[0], more);
  return of;
}

async function failedCreate(object: string): Promise<string> {
  return await until(async () =>
    (await kube.events("a")).find((event) => event.reason === "FailedCreate" && event.object === object)?.message
  );
}

async function podOf(job: string): Promise<Json> {
  const { body } = await kube.send("GET", `/api/v1/namespaces/a/pods?labelSelector=job-name%3D${job}`);
  return body.items[0];
}

function quota(hard: Json): Json {
  return { apiVersion: "v1", kind: "ResourceQuota", metadata: { name: "spoke", namespace: "a" }, spec: { hard } };
}

test("a full quota rejects a Job's pod, and reports this only on the Job", async () => {
  await makeNamespace(kube, "a");
  await apply(quota({ "limits.memory": "1Gi" }));
  await kube.when(quota({}), (live) => live.status.used?.["limits.memory"] === "0");
  await apply(withContainer(deployment("a", "d"), { resources: { limits: { cpu: "1", memory: "512Mi" } } }));
  await kube.when(quota({}), (live) => live.status.used["limits.memory"] === "512Mi");
  await apply(withContainer(job("a", "install-1", "exit 0"), LIMITED));
  assert.match(
    await failedCreate("Job/install-1"),
    /^Error creating: pods "install-1-\w{5}" is forbidden: exceeded quota: spoke, requested: limits.memory=1Gi, used: limits.memory=512Mi, limited: limits.memory=1Gi$/,
  );
  const live = (await kube.get(job("a", "install-1", ""))).body;
  assert.is(live.status.conditions, undefined);
  assert.is(live.status.active, undefined);
});

test("a storage quota rejects a PVC", async () => {
  await makeNamespace(kube, "a");
  await apply(quota({ "requests.storage": "8Gi" }));
  await kube.when(quota({}), (live) => live.status.used?.["requests.storage"] === "0");
  const claim = (name: string, storage: string) => ({
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name, namespace: "a" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } } },
  });
  await apply(claim("data", "5Gi"));
  const { status, body } = await kube.apply(claim("files", "10Gi"));
  assert.is(status, 403);
  assert.is(
    body.message,
    'persistentvolumeclaims "files" is forbidden: exceeded quota: spoke, requested: requests.storage=10Gi, ' +
      "used: requests.storage=5Gi, limited: requests.storage=8Gi",
  );
});

test("a LimitRange sets defaults, and rejects larger limits", async () => {
  await makeNamespace(kube, "a");
  await apply({
    apiVersion: "v1",
    kind: "LimitRange",
    metadata: { name: "l", namespace: "a" },
    spec: {
      limits: [{ type: "Container", default: { cpu: "500m" }, defaultRequest: { cpu: "50m" }, max: { cpu: "2" } }],
    },
  });
  const small = await kube.run(job("a", "small", "exit 0"));
  assert.is(small.result, "Complete");
  assert.equal((await podOf("small")).spec.containers[0].resources, {
    limits: { cpu: "500m" },
    requests: { cpu: "50m" },
  });
  await apply(withContainer(job("a", "large", "exit 0"), { resources: { limits: { cpu: "4" } } }));
  assert.match(await failedCreate("Job/large"), /is forbidden: maximum cpu usage per Container is 2, but limit is 4$/);
});

test("an unknown image causes ErrImagePull, then ImagePullBackOff", async () => {
  await makeNamespace(kube, "a");
  const broken = withContainer(job("a", "j", "exit 0"), { image: "registry.invalid/moodle:1" });
  const reasons = new Set<string>();
  await apply(broken);
  const waiting = await until(async () => {
    const state = (await podOf("j"))?.status.containerStatuses?.[0].state.waiting;
    if (state) reasons.add(state.reason);
    return state?.reason === "ImagePullBackOff" ? state : null;
  });
  const error =
    'ErrImagePull: failed to pull and unpack image "registry.invalid/moodle:1": failed to resolve reference ' +
    '"registry.invalid/moodle:1": ';
  assert.ok(
    waiting.message.startsWith(`Back-off pulling image "registry.invalid/moodle:1": ${error}`),
    waiting.message,
  );
  assert.is((await podOf("j")).status.phase, "Pending");
  assert.is((await kube.get(broken)).body.status.conditions, undefined);
});

test("a missing Secret delays a container until the Secret exists", async () => {
  await makeNamespace(kube, "a");
  await apply(withContainer(job("a", "j", "exit 0"), { envFrom: [{ secretRef: { name: "moodle" } }] }));
  const state = await until(async () => {
    const waiting = (await podOf("j"))?.status.containerStatuses?.[0].state.waiting;
    return waiting?.reason === "CreateContainerConfigError" ? waiting : null;
  });
  assert.is(state.message, 'secret "moodle" not found');
  assert.ok(
    (await kube.events("a")).some((event) =>
      event.reason === "Failed" && event.message === 'Error: secret "moodle" not found'
    ),
  );
  await apply({ apiVersion: "v1", kind: "Secret", metadata: { name: "moodle", namespace: "a" } });
  await kube.when(job("a", "j", ""), (live) => condition(live, "Complete"));
});

test("a missing storage class keeps a PVC and its pod pending", async () => {
  await makeNamespace(kube, "a");
  const claim = {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "p", namespace: "a" },
    spec: { storageClassName: "nope", accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  };
  const using = job("a", "j", "exit 0");
  using.spec.template.spec.volumes = [{ name: "v", persistentVolumeClaim: { claimName: "p" } }];
  await apply(claim, using);
  await until(async () =>
    (await kube.events("a")).find((event) =>
      event.reason === "ProvisioningFailed" && event.message === 'storageclass.storage.k8s.io "nope" not found'
    )
  );
  const pod = await until(async () => {
    const found = await podOf("j");
    return condition(found ?? {}, "PodScheduled")?.status === "False" ? found : null;
  });
  assert.match(condition(pod, "PodScheduled").message, /pod has unbound immediate PersistentVolumeClaims/);
});

test("a PVC waits for its first consumer, which protects it from deletion", async () => {
  await makeNamespace(kube, "a");
  const claim = {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "p", namespace: "a" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  };
  await apply(claim);
  await until(async () => (await kube.events("a")).find((event) => event.reason === "WaitForFirstConsumer"));
  const using = deployment("a", "d");
  using.spec.template.spec.volumes = [{ name: "v", persistentVolumeClaim: { claimName: "p" } }];
  await apply(using);
  await kube.when(claim, (live) => live.status.phase === "Bound");
  await kube.when(using, (live) => live.status.readyReplicas === 1);
  assert.equal((await kube.remove(claim)).body.metadata.finalizers, ["kubernetes.io/pvc-protection"]);
  assert.is((await kube.get(claim)).status, 200);
  await kube.remove(using, { propagationPolicy: "Background" });
  await kube.gone(claim);
});

test("a pod that requests more than the node has is unschedulable", async () => {
  await makeNamespace(kube, "a");
  await apply(withContainer(job("a", "j", "exit 0"), { resources: { requests: { cpu: "3" } } }));
  const pod = await until(async () => {
    const found = await podOf("j");
    return condition(found ?? {}, "PodScheduled")?.reason === "Unschedulable" ? found : null;
  });
  assert.is(
    condition(pod, "PodScheduled").message,
    "0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: 1 No preemption victims found " +
      "for incoming pod.",
  );
});

test("pod security warns about a workload and rejects its pods", async () => {
  await makeNamespace(kube, "a", { "pod-security.kubernetes.io/enforce": "restricted" });
  const { warning } = await kube.apply(job("a", "j", "exit 0"));
  assert.match(warning ?? "", /would violate PodSecurity \\"restricted:latest\\": allowPrivilegeEscalation != false/);
  assert.match(
    await failedCreate("Job/j"),
    /^Error creating: pods "j-\w{5}" is forbidden: violates PodSecurity "restricted:latest": /,
  );
});

test("a Job past its deadline fails, and its pod and log are deleted", async () => {
  await makeNamespace(kube, "a");
  const slow = job("a", "j", "echo begun; sleep 3600", { activeDeadlineSeconds: 1 });
  const { result, job: live } = await kube.run(slow);
  assert.is(result, "Failed");
  assert.equal(live.status.conditions.map(({ type, reason }: Json) => [type, reason]), [
    ["FailureTarget", "DeadlineExceeded"],
    ["Failed", "DeadlineExceeded"],
  ]);
  assert.is(await podOf("j"), undefined);
});

test("a container that keeps failing enters a crash loop", async () => {
  await makeNamespace(kube, "a");
  await apply(withContainer(deployment("a", "d"), { command: ["sh", "-c", "echo no; exit 1"] }));
  const pods = "/api/v1/namespaces/a/pods?labelSelector=app%3Dd";
  const status = await until(async () => {
    const found = (await kube.send("GET", pods)).body.items[0]?.status.containerStatuses?.[0];
    return found?.state.waiting?.reason === "CrashLoopBackOff" ? found : null;
  });
  assert.match(status.state.waiting.message, /^back-off 10s restarting failed container=m pod=d-/);
  assert.is(status.lastState.terminated.exitCode, 1);
});

test("deleting a Job without a propagation policy keeps its pods", async () => {
  await makeNamespace(kube, "a");
  await kube.run(job("a", "j", "exit 0"));
  const { warning } = await kube.remove(job("a", "j", ""));
  assert.match(warning ?? "", /child pods are preserved by default/);
  await kube.gone(job("a", "j", ""));
  assert.is((await podOf("j")).metadata.ownerReferences, undefined);
});

test.run();
