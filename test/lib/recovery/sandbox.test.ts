/** Creates and removes sandboxes in the simulated cluster, without a restore test. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ProgressOf } from "#lib/operations/plan.ts";
import type { SANDBOX } from "#lib/operations/progress.ts";
import type { App } from "#lib/app.ts";
import { createSpokeInputs } from "#lib/catalog/inputs.ts";
import type { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import { createId } from "#lib/base/ids.ts";
import { SILENT_LOG } from "#lib/base/log.ts";
import { buildSandboxInputs } from "#lib/moodle/sandbox.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { applySandboxObjects, createSandbox, openSandbox, removeSandbox, type Sandbox } from "#lib/recovery/sandbox.ts";
import { postObject } from "#test/support/fake-spokes.ts";
import { rejection, until } from "#test/support/until.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";
import { RELEASE } from "#test/support/release.ts";

interface SandboxWithRun {
  readonly sandbox: Sandbox;
  readonly run: JobRun<ProgressOf<typeof SANDBOX>>;
  /** Returns another run of the same job. */
  reopen(): Promise<SandboxWithRun>;
}

const test = suite<{ scene: WorkScene }>("a sandbox");
test.before(async (context) => void (context.scene = await openWorkScene()));
test.after(({ scene }) => scene.close());

async function open({ app }: WorkScene, id = createId("op"), progress: object = {}): Promise<SandboxWithRun> {
  const job = { id, fence: String(Date.now()), progress: { ...progress } };
  const run = {
    job,
    log: SILENT_LOG,
    signal: new AbortController().signal,
    throwIfStopped: () => {},
    timeLeft: () => 5000,
    showProgress: () => {},
    saveProgress: (values: object) => Promise.resolve(void Object.assign(job.progress, values)),
  } as unknown as JobRun<ProgressOf<typeof SANDBOX>>;
  const spoke = createSpokeInputs(app.catalog, app.config, {
    ...{
      federationId: "fed_1",
      id: "spk_1",
      namespace: "spoke-oak",
      slug: "oak",
      displayName: "Oak",
      adminEmail: "a@b.cd",
    },
    ...{ domain: "oak.spokes.example.org", lmsVersion: Object.keys(app.blueprint.images.versions)[0]!, region: null },
    ...{ size: "small", identity: false, content: false, contentMode: null, brand: null, seed: null },
  } as never);
  const inputs = buildSandboxInputs(spoke, { id, madeAfter: null }, RELEASE);
  return {
    sandbox: await openSandbox(app as App, "default", inputs, run),
    run,
    reopen: () => open(scene(app), id, job.progress),
  };
}

const scene = (app: App) => ({ app }) as WorkScene;
const listObjects = ({ simulator }: WorkScene, { inputs: { namespace } }: Sandbox) =>
  simulator.objects().filter(({ metadata }) => (metadata.namespace ?? metadata.name) === namespace)
    .map(({ kind, metadata }) => `${kind} ${metadata.name}`);

test("is created once for all runs of its job, and can be removed twice", async ({ scene }) => {
  const { sandbox, run, reopen } = await open(scene);
  await createSandbox(sandbox, run);
  const next = await reopen();
  await createSandbox(next.sandbox, next.run);
  assert.is(next.sandbox.space.uid, sandbox.space.uid);
  for (const name of ["ResourceQuota spoke", "NetworkPolicy sandbox", "Secret moodle", "ConfigMap moodle-env"]) {
    assert.ok(listObjects(scene, sandbox).includes(name), name);
  }
  await removeSandbox(next.sandbox, next.run);
  assert.equal(listObjects(scene, sandbox), []);
  await removeSandbox(next.sandbox, next.run);
});

test("is found by its labels if its UID was not stored, and is not removed before its creation", async ({ scene }) => {
  const { sandbox, run, reopen } = await open(scene);
  await removeSandbox(sandbox, run);
  await createSandbox(sandbox, run);
  const { cluster } = run.job.progress.sandbox!;
  Object.assign(run.job.progress, { sandbox: { cluster, uid: null } });
  const next = await reopen();
  await removeSandbox(next.sandbox, next.run);
  assert.equal(listObjects(scene, sandbox), []);
});

test("does not touch a namespace with its name that belongs to another job", async ({ scene }) => {
  const { sandbox, run } = await open(scene), { namespace } = sandbox.inputs;
  const labels = { "app.kubernetes.io/managed-by": "wheelwright", "wheelwright.dev/sandbox": "op_another" };
  await postObject(scene.simulator.url, "/api/v1/namespaces", { metadata: { name: namespace, labels } });
  assert.is((await rejection(createSandbox(sandbox, run)) as ClusterError).code, "ForeignNamespace");
  await removeSandbox(sandbox, run);
  assert.ok(listObjects(scene, sandbox).includes(`Namespace ${namespace}`));
});

test("cannot be removed in another cluster", async ({ scene }) => {
  const { sandbox, run } = await open(scene);
  await createSandbox(sandbox, run);
  const elsewhere = { ...sandbox, cluster: { ...sandbox.cluster, identity: () => Promise.resolve("another") } };
  assert.is((await rejection(removeSandbox(elsewhere as Sandbox, run)) as ClusterError).code, "another_cluster");
  await removeSandbox(sandbox, run);
  assert.equal(listObjects(scene, sandbox), []);
});

test("deletes its volumes, also with the reclaim policy Retain", async ({ scene }) => {
  const { simulator: { url, objects } } = scene, { sandbox, run } = await open(scene);
  await createSandbox(sandbox, run);
  await applySandboxObjects(sandbox, run, "volumes");
  const path = `/api/v1/namespaces/${sandbox.inputs.namespace}/persistentvolumeclaims/files`;
  await patchObject(url + path, { metadata: { annotations: { "volume.kubernetes.io/selected-node": "127.0.0.1" } } });
  const findVolume = () =>
    objects("PersistentVolume").find(({ spec }) => spec.claimRef?.namespace === sandbox.inputs.namespace);
  const { metadata: { name } } = await until(findVolume);
  await patchObject(`${url}/api/v1/persistentvolumes/${name}`, { spec: { persistentVolumeReclaimPolicy: "Retain" } });
  await removeSandbox(sandbox, run);
  assert.is(findVolume(), undefined);
});

async function patchObject(url: string, body: object): Promise<void> {
  const headers = { "content-type": "application/merge-patch+json" };
  const response = await fetch(url, { method: "PATCH", headers, body: JSON.stringify(body) });
  assert.is(response.status, 200, await response.text());
}

test.run();
