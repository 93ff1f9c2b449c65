/** Tests a node that stops reporting its status, and a node whose pods get no network. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { NODE_NAME } from "#lib/dev/simulator/controllers/objects.ts";
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

const test = suite<{ kube: Kube }>("a lost node");
const node = { apiVersion: "v1", kind: "Node", metadata: { name: NODE_NAME } };

test.before.each(async (context) => {
  const kube = context.kube = await openKube();
  await makeNamespace(kube, "a");
  await kube.apply(deployment("a", "d"));
  await kube.when(deployment("a", "d"), (live) => live.status?.availableReplicas === 1);
});
test.after.each(({ kube }) => kube.close());

async function pods(kube: Kube): Promise<Json[]> {
  return (await kube.send("GET", "/api/v1/namespaces/a/pods")).body.items;
}

async function lose(kube: Kube): Promise<string> {
  const fault = kube.simulator.faults.add({ type: "lost-node", name: NODE_NAME });
  await kube.when(node, (live) => condition(live, "Ready").status === "Unknown");
  await kube.when(deployment("a", "d"), (live) => !live.status.availableReplicas);
  return fault;
}

test("becomes not ready with its pods, and recovers", async ({ kube }) => {
  const fault = await lose(kube);
  const live = (await kube.get(node)).body;
  assert.equal(live.spec.taints.map(({ key, effect }: Json) => `${key}:${effect}`), [
    "node.kubernetes.io/unreachable:NoSchedule",
    "node.kubernetes.io/unreachable:NoExecute",
  ]);
  const [pod] = await pods(kube);
  assert.equal([pod.status.phase, pod.status.containerStatuses[0].ready], ["Running", true]);
  const event = (await kube.events("a")).find(({ reason }) => reason === "NodeNotReady");
  assert.equal([event!.object, event!.message], [`Pod/${pod.metadata.name}`, "Node is not ready"]);
  kube.simulator.faults.remove(fault);
  await kube.when(node, ({ spec, ...rest }) => condition(rest, "Ready").status === "True" && !spec.taints.length);
  await kube.when(deployment("a", "d"), (live) => live.status.availableReplicas === 1);
});

test("keeps a deleted pod until the node recovers or the deletion is forced", async ({ kube }) => {
  const fault = await lose(kube);
  const [first] = await pods(kube), at = `/api/v1/namespaces/a/pods/${first.metadata.name}`;
  await kube.send("DELETE", at);
  const next = await until(async () => (await pods(kube)).find(({ metadata }) => metadata.uid !== first.metadata.uid));
  const waits = await kube.when(
    { ...next, apiVersion: "v1", kind: "Pod" },
    (live) => condition(live, "PodScheduled")?.status === "False",
  );
  assert.match(
    condition(waits, "PodScheduled").message,
    /1 node\(s\) had untolerated taint \{node\.kubernetes\.io\/unreachable: \}/,
  );
  assert.ok((await kube.send("GET", at)).body.metadata.deletionTimestamp);
  assert.is((await kube.send("DELETE", at, { gracePeriodSeconds: 0 })).status, 200);
  assert.is((await kube.send("GET", at)).status, 404);
  kube.simulator.faults.remove(fault);
  await kube.when(deployment("a", "d"), (live) => live.status.availableReplicas === 1);
});

test("completes no Job until the node recovers", async ({ kube }) => {
  kube.simulator.faults.add({ type: "no-sandbox", name: "a/j", message: "no addresses left" });
  const waiting = job("a", "j", "exit 0");
  await kube.apply(waiting);
  const sandbox = await until(async () =>
    (await kube.events("a")).find(({ reason }) => reason === "FailedCreatePodSandBox")
  );
  assert.match(
    sandbox.message,
    /^Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox "[0-9a-f]{64}": no addresses left$/,
  );
  const fault = await lose(kube);
  kube.simulator.faults.list().filter(({ breakage }) => breakage.type === "no-sandbox").forEach(({ id }) =>
    kube.simulator.faults.remove(id)
  );
  const after = job("a", "after", "exit 0");
  await kube.apply(after);
  await until(async () =>
    (await pods(kube)).some(({ metadata, spec }) => metadata.labels.job === "after" && !spec.nodeName)
  );
  assert.is((await kube.get(waiting)).body.status.succeeded, undefined);
  kube.simulator.faults.remove(fault);
  for (const each of [waiting, after]) await kube.when(each, (live) => live.status.succeeded === 1);
});

test("keeps containers running, and reports them after the recovery", async () => {
  const kube = await openKube({ delayMs: 200 });
  try {
    await makeNamespace(kube, "a");
    const running = job("a", "j", "echo one; exit 0");
    await kube.apply(running);
    await until(async () => (await pods(kube)).some(({ status }) => status.phase === "Running"));
    const fault = kube.simulator.faults.add({ type: "lost-node", name: NODE_NAME });
    // Its address takes longer than what is left of the container's run.
    const ingress = {
      apiVersion: "networking.k8s.io/v1",
      kind: "Ingress",
      metadata: { name: "i", namespace: "a" },
      spec: { defaultBackend: { service: { name: "s", port: { number: 80 } } } },
    };
    await kube.apply(ingress);
    await kube.when(ingress, (live) => live.status?.loadBalancer?.ingress?.length > 0);
    assert.equal((await pods(kube)).map(({ status }) => status.phase), ["Running"]);
    kube.simulator.faults.remove(fault);
    await kube.when(running, (live) => live.status.succeeded === 1);
  } finally {
    await kube.close();
  }
});

test.run();
