import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ClusterError, type ClusterNamespace, type KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { openCluster } from "#lib/drivers/cluster/open.ts";
import { FenceLostError } from "#lib/jobs/fence.ts";
import { SILENT_LOG } from "#lib/base/log.ts";
import { FENCE_METADATA_KEY } from "#lib/moodle/names.ts";
import { createOrApplyWithFence, createWithFence } from "#lib/steps/fenced-objects.ts";
import { openSimulator, type Simulator } from "#lib/dev/simulator/open.ts";
import { rejection } from "#test/support/until.ts";

const test = suite<{ simulator: Simulator; space: ClusterNamespace; close: () => Promise<void> }>("replaceFenced");
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

const ref = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", name });
const settings = (name: string, data: Record<string, string>): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, annotations: { "example.org/of": "us" } },
  data,
});
const hold = (fence: number) => ({ id: "op_1", fence: String(fence) });

test("creates a missing object with its fence, and later removes dropped fields", async ({ space }) => {
  const made = await createOrApplyWithFence(space, settings("a", { kept: "1", dropped: "1" }), hold(5), call);
  assert.is(made.metadata.annotations![FENCE_METADATA_KEY], "5");
  for (const fence of [5, 6]) {
    const there = await createOrApplyWithFence(space, settings("a", { kept: "2" }), hold(fence), call);
    assert.equal(there["data"], { kept: "2" });
    assert.equal(there.metadata.annotations, { "example.org/of": "us", [FENCE_METADATA_KEY]: String(fence) });
  }
});

test("keeps fields that patches changed", async ({ space }) => {
  await createOrApplyWithFence(space, settings("b", { kept: "1" }), hold(5), call);
  await space.patch(ref("b"), [{ op: "add", path: "/data/patched", value: "1" }], call);
  const there = await createOrApplyWithFence(space, settings("b", { kept: "2" }), hold(6), call);
  assert.equal(there["data"], { kept: "2", patched: "1" });
});

test("does not change a newer object when its holder is late", async ({ space }) => {
  let newer: KubeObject | undefined;
  const slow: ClusterNamespace = {
    ...space,
    create: async (object, at) => {
      newer ??= await createOrApplyWithFence(space, settings("c", { of: "newer" }), hold(8), call);
      return await space.create(object, at);
    },
  };
  assert.instance(
    await rejection(createOrApplyWithFence(slow, settings("c", { of: "late" }), hold(7), call)),
    FenceLostError,
  );
  assert.equal(await space.get(ref("c"), call), newer);
});

test("continues if a controller wrote first", async ({ space }) => {
  const busy: ClusterNamespace = {
    ...space,
    create: async (object, at) => {
      const made = await space.create(object, at);
      await space.patch(ref("d"), [{ op: "add", path: "/metadata/labels", value: { of: "a-controller" } }], call);
      return made;
    },
  };
  await createOrApplyWithFence(busy, settings("d", { kept: "1", dropped: "1" }), hold(5), call);
  const there = await createOrApplyWithFence(space, settings("d", { kept: "1" }), hold(6), call);
  assert.equal(there["data"], { kept: "1" });
});

test("creates a missing object and applies an existing one without reading it first", async ({ space }) => {
  const made = await createWithFence(space, settings("e", { kept: "1", dropped: "1" }), hold(5), call);
  assert.is(made.metadata.annotations![FENCE_METADATA_KEY], "5");
  assert.equal((await createWithFence(space, settings("e", { kept: "2" }), hold(6), call))["data"], { kept: "2" });
  assert.instance(await rejection(createWithFence(space, settings("e", {}), hold(5), call)), FenceLostError);
});

test("applies an existing object if the quota refuses the POST", async ({ space }) => {
  const refusal = new ClusterError("Forbidden", "exceeded quota", { transient: false, status: 403 });
  const full: ClusterNamespace = { ...space, create: () => Promise.reject(refusal) };
  await createWithFence(space, settings("f", { kept: "1" }), hold(5), call);
  assert.equal((await createWithFence(full, settings("f", { kept: "2" }), hold(6), call))["data"], { kept: "2" });
  assert.is(await rejection(createWithFence(full, settings("g", {}), hold(6), call)), refusal);
});

test.run();
