/** The digest of the image that a site runs: recorded by operations, and compared by the sweep. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { areImagesDifferent, parseImageId } from "#lib/moodle/image-digest.ts";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";
import { until } from "#test/support/until.ts";
import { runAction } from "../../recovery/restore/scene.ts";
import { byHand, lookOnce } from "./checks.ts";
import { updateRows } from "#test/support/rows.ts";

const test = suite<{ scene: WorkScene; id: string }>("the digest of a site's image");
test.before(async (context) => {
  const scene = context.scene = await openWorkScene();
  await scene.replica();
  context.id = await scene.spoke(await scene.hub("math"), "algebra");
  await scene.becomes(context.id, "active");
});
test.after(({ scene }) => scene.close());

/** The pod of the site, as the kubelet reports it. */
function podOf({ simulator }: WorkScene, namespace: string): KubeObject | undefined {
  return simulator.objects("Pod").find(({ metadata, status }) =>
    metadata.namespace === namespace && metadata.labels?.["app"] === "moodle" &&
    metadata.deletionTimestamp === undefined &&
    status?.containerStatuses?.[0]?.ready
  );
}

async function replacePod(scene: WorkScene, namespace: string): Promise<KubeObject> {
  const { metadata: { name } } = podOf(scene, namespace)!;
  await byHand(scene.simulator.url, `/api/v1/namespaces/${namespace}/pods/${name}`, null);
  await until(() => (podOf(scene, namespace)?.metadata.name ?? name) !== name);
  return podOf(scene, namespace)!;
}

test("is recorded by the installation", async ({ scene, id }) => {
  const row = await scene.row(id), pod = podOf(scene, row.namespace)!;
  assert.match(row.imageDigest!, /^docker\.io\/erseco\/alpine-moodle@sha256:[0-9a-f]{64}$/);
  assert.is(row.imageDigest, pod["status"].containerStatuses[0].imageID);
  await lookOnce(scene.app);
  assert.is((await scene.row(id)).drift, null);
});

test("is recorded by the sweep if no operation recorded it", async ({ scene, id }) => {
  const { imageDigest } = await scene.row(id);
  await updateRows(scene.db, "spokes", { imageDigest: null }, { id });
  await lookOnce(scene.app);
  const row = await scene.row(id);
  assert.equal([row.imageDigest, row.drift], [imageDigest, null]);
});

test("is drift if a pod runs another image under the same tag, until a reapply", async ({ scene, id }) => {
  const before = await scene.row(id);
  scene.simulator.rebuild(before.blueprintInputs.images.moodle);
  const pod = await replacePod(scene, before.namespace);
  await lookOnce(scene.app);
  const row = await scene.row(id);
  assert.is(row.imageDigest, before.imageDigest);
  assert.equal((row.drift as { objects: unknown }).objects, [
    { object: `Pod/${pod.metadata.name}`, what: "changed", fields: ["status.containerStatuses.imageID"] },
  ]);
  assert.is((await runAction(scene, id, "reapply")).state, "succeeded");
  const after = await scene.row(id);
  assert.is(after.imageDigest, podOf(scene, row.namespace)!["status"].containerStatuses[0].imageID);
  assert.is.not(after.imageDigest, before.imageDigest);
  await lookOnce(scene.app);
  assert.is((await scene.row(id)).drift, null);
});

test("is read from what each container runtime reports", () => {
  const digest = `sha256:${"a".repeat(64)}`, other = `sha256:${"b".repeat(64)}`;
  assert.is(parseImageId(`docker-pullable://moodle@${digest}`), `moodle@${digest}`);
  assert.is(parseImageId(digest), digest);
  for (const none of ["", "sha256:short", `<b>@${digest}`]) assert.is(parseImageId(none), null);
  assert.is(areImagesDifferent(`moodle@${digest}`, `mirror.example/moodle@${digest}`), false);
  assert.is(areImagesDifferent(`moodle@${digest}`, `moodle@${other}`), true);
  assert.is(areImagesDifferent(`moodle@${digest}`, other), false, "an image's own id is another kind of digest");
});

test.run();
