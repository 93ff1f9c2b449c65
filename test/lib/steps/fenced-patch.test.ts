import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ClusterError, ClusterNamespace } from "#lib/drivers/cluster/cluster.ts";
import { FenceLostError } from "#lib/jobs/fence.ts";
import { patchWithFence } from "#lib/steps/fenced-objects.ts";
import { rejection } from "#test/support/until.ts";
import { openWorkScene, type WorkScene } from "../workers/scene.ts";
import { deleteAsAdmin } from "#test/support/service-account.ts";

const test = suite<{ scene: WorkScene; space: ClusterNamespace }>("patchWithFence");
test.before.each(async (context) => {
  context.scene = await openWorkScene();
  const cluster = await context.scene.app.clusters.open("default");
  const labels = {
    "app.kubernetes.io/managed-by": "wheelwright",
    "pod-security.kubernetes.io/enforce": "restricted",
    "wheelwright.dev/federation": "fed",
    "wheelwright.dev/spoke": "spk",
  };
  const manifest = { apiVersion: "v1", kind: "Namespace", metadata: { name: NAMESPACE, labels } };
  context.space = cluster.space(NAMESPACE, (await cluster.createNamespace(manifest, call)).uid);
  await context.space.create({ ...REF, metadata: { name: "thing" }, data: { value: "old" } }, call);
});
test.after.each(({ scene }) => scene.close());

const NAMESPACE = "spoke-main-here";
const call = { signal: new AbortController().signal };
const REF = { apiVersion: "v1", kind: "ConfigMap", name: "thing" };

function write(space: ClusterNamespace, fence: string, value: string): Promise<unknown> {
  const change = () => [{ op: "add" as const, path: "/data/value", value }];
  return patchWithFence(space, REF, { ...call, job: { id: "op", fence } }, change);
}

async function value(space: ClusterNamespace): Promise<string> {
  return (await space.get(REF, call))!["data"].value;
}

test("changes an object with no fence or an older one", async ({ space }) => {
  await write(space, "9", "first");
  assert.is(await value(space), "first");
  await write(space, "10", "second"); // as text, 10 is less than 9
  assert.is(await value(space), "second");
});

test("rejects an older holder", async ({ space }) => {
  await write(space, "7", "new");
  assert.instance(await rejection(write(space, "5", "late")), FenceLostError);
  assert.is(await value(space), "new");
});

test("is rejected by the API server if a newer holder wrote in between", async ({ space }) => {
  for (const before of [null, "4"]) {
    if (before) {
      await space.patch(REF, [{ op: "add", path: "/metadata/annotations/wheelwright.dev~1fence", value: "4" }], call);
    }
    const newer = before ? "70" : "7", older = before ? "60" : "3";
    const slow: ClusterNamespace = {
      ...space,
      async patch(ref, operations, at) {
        await write(space, newer, "new"); // between the late holder's look and its patch
        return await space.patch(ref, operations, at);
      },
    };
    assert.instance(await rejection(write(slow, older, "late")), FenceLostError);
    assert.is(await value(space), "new");
  }
});

test("retries after another writer's change", async ({ space }) => {
  let touched = false;
  const busy: ClusterNamespace = {
    ...space,
    async patch(ref, operations, at) {
      if (!touched) await space.patch(ref, [{ op: "add", path: "/data/other", value: "x" }], at);
      touched = true;
      return await space.patch(ref, operations, at);
    },
  };
  await write(busy, "5", "mine");
  assert.is(await value(space), "mine");
});

test("reports a deleted object to the operator", async ({ scene, space }) => {
  await deleteAsAdmin(scene.simulator, (await space.get(REF, call))!);
  const error = await rejection(write(space, "9", "new")) as ClusterError;
  assert.equal([error.code, error.blame, error.transient], ["NotFound", "operator", false]);
  assert.match(error.hint!, /^The object was deleted/);
});

test.run();
