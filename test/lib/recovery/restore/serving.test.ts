/** Tests that the site keeps serving until the restored volumes are bound, with either binding mode. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { requestRestore } from "#lib/domains/backups/restore.ts";
import { isFinalJobState, type Job } from "#lib/jobs/job.ts";
import { postObject } from "#test/support/fake-spokes.ts";
import { until } from "#test/support/until.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";
import { installSpoke, listJobNames, listObjects, readSiteState } from "#test/lib/workers/upgrade/scene.ts";
import { ANN, backUp, readMarks, runRestore, usedPvcs, writeMark } from "./scene.ts";

/** The label of the step while the storage creates the volumes. */
const WAITING = /^Creating volumes from the backup: .*Waiting for the volume of PersistentVolumeClaim/;
const CLASSES = "/apis/storage.k8s.io/v1/storageclasses";

interface Context {
  scene: WorkScene;
  id: string;
}

async function setBindingMode({ simulator: { url } }: WorkScene, volumeBindingMode: string): Promise<void> {
  await fetch(`${url}${CLASSES}/standard`, { method: "DELETE" });
  const annotations = { "storageclass.kubernetes.io/is-default-class": "true" };
  const provisioner = "simulated.csi.example";
  await postObject(url, CLASSES, { metadata: { name: "standard", annotations }, provisioner, volumeBindingMode });
}

/** Returns the last label of the operation. */
async function lastLabel(scene: WorkScene, id: string): Promise<string> {
  return await until(async () => {
    const [{ label, state }] = await scene.operations(id) as [Job], { pods, replicas } = await readSiteState(scene, id);
    return WAITING.test(label) || pods === 0 || replicas === 0 || isFinalJobState(state) ? label : false;
  });
}

const test = suite("a restore while its volumes are created");

async function open(mode: string): Promise<Context> {
  const scene = await openWorkScene();
  await setBindingMode(scene, mode);
  await scene.replica();
  const id = await installSpoke(scene, "algebra");
  await writeMark(scene, id, "as it was");
  await backUp(scene, id);
  await writeMark(scene, id, "before the restore");
  return { scene, id };
}

for (const mode of ["Immediate", "WaitForFirstConsumer"]) {
  let opened: Promise<Context>;
  const inScene = (name: string, work: (context: Context) => Promise<void>) =>
    test(`${name} (${mode})`, async () => await work(await (opened ??= open(mode))));

  inScene("stops the site only once the volumes are bound", async ({ scene, id }) => {
    const before = await scene.row(id), { faults } = scene.simulator;
    const fault = faults.add({ type: "slow-volume", name: `${before.namespace}/` });
    await requestRestore(scene.app, ANN, id, {});
    const label = await lastLabel(scene, id);
    const site = await readSiteState(scene, id);
    assert.equal(
      [site.pods, site.replicas, site.cronPaused],
      [1, 1, false],
      `the site was stopped; last label: ${label}`,
    );
    assert.match(label, WAITING);
    const pending = (await listObjects(scene, id, "PersistentVolumeClaim"))
      .filter(({ status }) => status.phase !== "Bound").map(({ metadata: { name } }) => name);
    assert.ok(pending.length > 0 && pending.every((name) => !usedPvcs(before).includes(name)), pending.join());
    faults.remove(fault);
    const job = await scene.ended(id, "restore");
    assert.equal([job.state, job.failure?.message], ["succeeded", undefined]);
    assert.equal(await readMarks(scene, id), ["as it was", "as it was"]);
    assert.equal(await listJobNames(scene, id, "mount"), []);
  });

  inScene("keeps the site running if the storage creates no volume", async ({ scene, id }) => {
    const { namespace } = await scene.row(id);
    const fault = scene.simulator.faults.add({ type: "no-volume", name: `${namespace}/`, message: "the pool is full" });
    const job = await runRestore(scene, id);
    assert.equal([job.state, job.failure?.step], ["failed", "volumes"]);
    assert.match(job.failure!.message, "the pool is full");
    scene.simulator.faults.remove(fault);
    const { state } = await scene.row(id), { pods, replicas, cronPaused } = await readSiteState(scene, id);
    assert.equal([state, pods, replicas, cronPaused], ["active", 1, 1, false]);
    assert.equal(await listJobNames(scene, id, "mount"), []);
  });

  inScene("does not stop the site for a rollback whose PVC was deleted", async ({ scene, id }) => {
    const { namespace } = await scene.row(id);
    const path = `/api/v1/namespaces/${namespace}/persistentvolumeclaims/files`;
    await fetch(scene.simulator.url + path, { method: "DELETE" });
    const job = await runRestore(scene, id, { rollback: true });
    assert.equal([job.state, job.failure?.step, job.failure?.code], ["failed", "prepare", "NoWayBack"]);
    const { pods, replicas } = await readSiteState(scene, id);
    assert.equal([pods, replicas, (await scene.row(id)).state], [1, 1, "active"]);
    await scene.close();
  });
}

test.run();
