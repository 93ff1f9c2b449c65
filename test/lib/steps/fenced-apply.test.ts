import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ClusterError, type ClusterNamespace, type KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { openCluster } from "#lib/drivers/cluster/open.ts";
import { FenceLostError } from "#lib/jobs/fence.ts";
import { SILENT_LOG } from "#lib/base/log.ts";
import { applyWithFence } from "#lib/steps/fenced-objects.ts";
import { openSimulator, type Simulator } from "#lib/dev/simulator/open.ts";
import { rejection } from "#test/support/until.ts";

const test = suite<{ simulator: Simulator; space: ClusterNamespace; close: () => Promise<void> }>("applyWithFence");
const call = { signal: new AbortController().signal };

test.before(async (context) => {
  const simulator = context.simulator = await openSimulator({ delayMs: 0, log: SILENT_LOG });
  const cluster = await openCluster({ name: "default", kubeconfig: { text: simulator.kubeconfig() }, log: SILENT_LOG });
  const labels = {
    "app.kubernetes.io/managed-by": "wheelwright",
    "wheelwright.dev/federation": "f",
    "wheelwright.dev/spoke": "s",
  };
  const manifest = { apiVersion: "v1", kind: "Namespace", metadata: { name: "spoke-a", labels } };
  const { uid } = await cluster.createNamespace(manifest, call);
  context.space = cluster.space("spoke-a", uid);
  context.close = async () => {
    await cluster.close();
    await simulator.close();
  };
});
test.after(({ close }) => close());

const settings = (name: string, version: string): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  data: { version },
});
const hold = (fence: number) => ({ id: "op_1", fence: String(fence) });

async function versionOf(space: ClusterNamespace, name: string): Promise<string> {
  return (await space.get({ apiVersion: "v1", kind: "ConfigMap", name }, call))!["data"].version;
}

test("applies an existing object, also repeatedly", async ({ space }) => {
  await space.apply([settings("a", "old")], call);
  await applyWithFence(space, settings("a", "new"), hold(5), call);
  await applyWithFence(space, settings("a", "newer"), hold(5), call);
  assert.is(await versionOf(space, "a"), "newer");
});

test("rejects an older holder", async ({ space }) => {
  await space.apply([settings("b", "old")], call);
  await applyWithFence(space, settings("b", "new"), hold(9), call);
  const error = await rejection(applyWithFence(space, settings("b", "late"), hold(8), call));
  assert.instance(error, FenceLostError);
  assert.is(await versionOf(space, "b"), "new");
});

test("is rejected by the API server if a newer holder wrote between read and apply", async ({ space }) => {
  await space.apply([settings("c", "old")], call);
  const late: KubeObject[] = [];
  const slow: ClusterNamespace = {
    ...space,
    apply: async (objects, at) => {
      if (late.length === 0) {
        late.push(...objects);
        await applyWithFence(space, settings("c", "new"), hold(21), call);
      }
      return await space.apply(objects, at);
    },
  };
  assert.instance(await rejection(applyWithFence(slow, settings("c", "late"), hold(20), call)), FenceLostError);
  assert.is(await versionOf(space, "c"), "new");
  const again = await rejection(space.apply(late, call)); // however often it is sent
  assert.is((again as ClusterError).status, 409);
  assert.is(await versionOf(space, "c"), "new");
});

test("retries after a conflict with another writer", async ({ space }) => {
  await space.apply([settings("d", "old")], call);
  let first = true;
  const busy: ClusterNamespace = {
    ...space,
    apply: async (objects, at) => {
      if (first) {
        first = false;
        const ref = { apiVersion: "v1", kind: "ConfigMap", name: "d" };
        await space.patch(ref, [{ op: "add", path: "/data/other", value: "1" }], call);
      }
      return await space.apply(objects, at);
    },
  };
  await applyWithFence(busy, settings("d", "new"), hold(3), call);
  assert.is(await versionOf(space, "d"), "new");
});

test("does not create a missing or recreated object", async ({ space }) => {
  assert.is((await rejection(applyWithFence(space, settings("e", "new"), hold(3), call))).code, "NotFound");
  assert.is(await space.get({ apiVersion: "v1", kind: "ConfigMap", name: "e" }, call), null);
});

test.run();
