/** Repeats the API calls of an upgrade after a newer upgrade has succeeded. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ClusterProvider } from "#lib/app.ts";
import type {
  ClusterError,
  ClusterNamespace,
  KubeObject,
  ObjectRef,
  PatchOperation,
} from "#lib/drivers/cluster/cluster.ts";
import { rejection } from "#test/support/until.ts";
import { openWorkScene, startReplica, type WorkScene } from "#test/lib/workers/scene.ts";
import { installSpoke, NEW, readSiteState, runUpgrade, siteStateOf } from "./scene.ts";

interface RecordedCalls {
  readonly applied: KubeObject[];
  readonly patched: { readonly ref: ObjectRef; readonly operations: readonly PatchOperation[] }[];
  readonly jobs: KubeObject[];
}

const test = suite<{ scene: WorkScene; sent: RecordedCalls; id: string; space: ClusterNamespace }>(
  "a late call of an upgrade",
);
const call = { signal: new AbortController().signal };

test.before(async (context) => {
  const scene = context.scene = await openWorkScene();
  const first = await scene.replica();
  const id = context.id = await installSpoke(scene, "algebra");
  await first.close();
  const sent = context.sent = { applied: [], patched: [], jobs: [] };
  const second = await startReplica({ ...scene.app, clusters: recordCalls(scene.app.clusters, sent) });
  assert.is((await runUpgrade(scene, id, "5.0.4")).state, "succeeded");
  await second.close();
  await scene.replica();
  assert.is((await runUpgrade(scene, id, NEW)).state, "succeeded");
  const { namespace, namespaceUid: uid, cluster } = await scene.row(id);
  context.space = (await scene.app.clusters.open(cluster)).space(namespace, uid!);
});
test.after(({ scene }) => scene.close());

function recordCalls(clusters: ClusterProvider, { applied, patched, jobs }: RecordedCalls): ClusterProvider {
  const recordSpace = (space: ClusterNamespace): ClusterNamespace => ({
    ...space,
    async apply(objects, at) {
      applied.push(...objects);
      return await space.apply(objects, at);
    },
    async patch(ref, operations, at) {
      patched.push({ ref, operations });
      return await space.patch(ref, operations, at);
    },
    async run(job, at) {
      jobs.push(job);
      return await space.run(job, at);
    },
  });
  return {
    ...clusters,
    async open(name) {
      const cluster = await clusters.open(name);
      return { ...cluster, space: (namespace, uid) => recordSpace(cluster.space(namespace, uid)) };
    },
  };
}

test("that applies the older version is refused", async ({ scene, sent, space, id }) => {
  const kinds = sent.applied.map(({ kind }) => kind);
  assert.equal(["CronJob", "Deployment", "Service"].filter((kind) => !kinds.includes(kind)), []);
  for (const object of sent.applied) {
    const error = await rejection(space.apply([object], call)) as ClusterError;
    assert.is(error.status, 409, `${object.kind} ${object.metadata.name}`);
  }
  assert.equal(await readSiteState(scene, id), siteStateOf(NEW));
});

test("that stops or starts the site is refused", async ({ scene, sent, space, id }) => {
  assert.ok(sent.patched.length >= 4);
  for (const { ref, operations } of sent.patched) {
    const error = await rejection(space.patch(ref, operations, call)) as ClusterError;
    assert.is(error.code, "Invalid", `${ref.kind} ${ref.name}`);
  }
  assert.equal(await readSiteState(scene, id), siteStateOf(NEW));
});

test("that creates the old Job does not restore old code", async ({ scene, sent, space, id }) => {
  const [job] = sent.jobs.filter(({ metadata }) => metadata.name.startsWith("upgrade-"));
  const ref = { apiVersion: "batch/v1", kind: "Job", name: job!.metadata.name };
  const existingJob = await space.get(ref, call);
  await space.delete(ref, existingJob!.metadata.uid!, call); // like the cluster's cleanup after a day
  const result = await space.run(job!, { ...call, timeout: 30_000 });
  assert.is(result.succeeded, false);
  assert.match(result.log.join("\n"), /not upgraded: attempt wheelwright upgrade \d+ has begun after this one/);
  assert.equal(await readSiteState(scene, id), siteStateOf(NEW));
});

test.run();
