/** Tests restores whose replica is killed, once in each step. Another replica resumes the step. Nothing is lost,
 * duplicated or orphaned. Markers in the database and the files identify the data. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { listReplacedPvcs } from "#lib/domains/backups/retained-pvcs.ts";
import { requestRestore, type RestoreTarget } from "#lib/domains/backups/restore.ts";
import type { Job } from "#lib/jobs/job.ts";
import { findJob } from "#lib/jobs/store.ts";
import { OPERATIONS } from "#lib/operations/table.ts";
import { CLUSTER_ROLE, SERVICE_ACCOUNT } from "#test/support/service-account.ts";
import { openReplica, type Replica } from "#test/support/bench/replica.ts";
import { until } from "#test/support/until.ts";
import { ANN, backUp, listPvcs, readMarks, usedPvcs, writeMark } from "#test/lib/recovery/restore/scene.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";

const STEPS = Object.keys(OPERATIONS.restore.plan.steps);
const PATIENCE = 300_000; // milliseconds; an idle machine needs a fraction of it

const test = suite<{ scene: WorkScene; replicas: Replica[]; directory: string }>("a restore whose replica is killed");
test.before(async (context) => {
  const scene = context.scene = await openWorkScene(30);
  const directory = context.directory = await mkdtemp(join(tmpdir(), "wheelwright-restore-"));
  const cluster = scene.simulator.url,
    kubeconfig = (server: string) => scene.simulator.kubeconfig(SERVICE_ACCOUNT).replace(cluster, server);
  context.replicas = [];
  for (const name of ["a", "b"]) {
    const env = { ROOT_DOMAIN: "spokes.example.org", CLUSTER_ROLE };
    context.replicas.push(await openReplica({ name, directory, database: scene.db.url, cluster, kubeconfig, env }));
  }
  await Promise.all(context.replicas.map((replica) => replica.start()));
});
test.after(async ({ scene, replicas, directory }) => {
  await Promise.all(replicas.map((replica) => replica.close()));
  await scene.close();
  await rm(directory, { recursive: true });
});

async function install(scene: WorkScene, slug: string): Promise<string> {
  const id = await scene.spoke(await scene.hub(`hub-${slug}`), slug);
  await until(async () => (await scene.row(id)).state === "active", PATIENCE);
  return id;
}

/** Requests a restore, kills its holder in this step, and returns how it ended. The cluster responds slowly, so that
 * even the shortest step can be caught. If the step was missed on a busy machine, it tries again with responses twice
 * as slow. */
async function killIn(
  scene: WorkScene,
  replicas: readonly Replica[],
  id: string,
  step: string,
  asked: RestoreTarget,
  latency = 150,
): Promise<Job> {
  const { faults } = scene.simulator, at = STEPS.indexOf(step), early = at <= 2 ? faults.latency(latency) : null;
  const { id: job } = await requestRestore(scene.app, ANN, id, asked);
  const find = async () => (await findJob(scene.db.rows, job))!;
  await until(async () => (await find()).finishedSteps.length >= at - 2, PATIENCE);
  const slow = early ?? faults.latency(latency);
  const held = await until(async () => {
    const { state, finishedSteps, holder } = await find();
    if (finishedSteps.length > at || state === "succeeded") return "too late";
    return state === "running" && finishedSteps.length === at && holder;
  }, PATIENCE);
  const holder = replicas.find((replica) => replica.id === held);
  await holder?.kill();
  faults.remove(slow);
  const ended = until(async () => {
    const now = await find();
    return ["succeeded", "failed", "cancelled"].includes(now.state) && now;
  }, PATIENCE);
  const [after] = await Promise.all([ended, holder?.start()]);
  return holder ? after : await killIn(scene, replicas, id, step, asked, 2 * latency);
}

async function assertComplete(scene: WorkScene, id: string, identifier: string): Promise<void> {
  const row = await scene.row(id), kept = (await listReplacedPvcs(scene.db.rows, id)).map(({ claim }) => claim);
  assert.equal([row.state, row.health, row.siteIdentifier], ["active", "healthy", identifier]);
  assert.equal(listPvcs(scene, row), [...usedPvcs(row), ...kept].sort());
  const present = scene.simulator.objects().filter(({ metadata }) => metadata.namespace === row.namespace);
  const made = ["VolumeSnapshot", "VolumeSnapshotContent"].flatMap((kind) => scene.simulator.objects(kind));
  const left = made.filter(({ metadata: { namespace, name } }) => (namespace ?? name).startsWith(row.namespace));
  assert.equal(left.filter(({ metadata }) => metadata.name.includes("origin-")), []);
  const sets = present.filter(({ kind }) => kind === "StatefulSet" || kind === "Deployment");
  assert.equal(sets.map(({ kind, status }) => [kind, status?.readyReplicas]).sort(), [["Deployment", 1], [
    "StatefulSet",
    1,
  ]]);
}

/** Uses three steps per spoke, because each restore leaves the replaced volumes behind. */
for (const [i, steps] of [STEPS.slice(0, 3), STEPS.slice(3, 6), STEPS.slice(6)].entries()) {
  test(`is resumed by another replica in ${steps.join(", ")}`, async ({ scene, replicas }) => {
    const id = await install(scene, `algebra-${i}`);
    await writeMark(scene, id, "as it was");
    const backup = await backUp(scene, id), { siteIdentifier } = await scene.row(id);
    for (const step of steps) {
      await writeMark(scene, id, `broken before ${step}`);
      const job = await killIn(scene, replicas, id, step, { backupId: backup });
      assert.equal([job.state, job.failure?.message], ["succeeded", undefined], step);
      assert.equal(await readMarks(scene, id), ["as it was", "as it was"], step);
      await assertComplete(scene, id, siteIdentifier!);
    }
    for (const step of steps.filter((each) => ["switch", "retain"].includes(each))) {
      const job = await killIn(scene, replicas, id, step, { rollback: true });
      assert.equal([job.state, job.failure?.message], ["succeeded", undefined], `back in ${step}`);
      await assertComplete(scene, id, siteIdentifier!);
    }
  });
}

test("reports each result once", async ({ scene, replicas }) => {
  const twice = await scene.db.sql(
    `select kind, metadata ->> 'operationId' as operation from audit_events where metadata ->> 'operationId' is not null
     group by 1, 2 having count(*) > 1`,
  );
  assert.equal(twice, []);
  assert.equal(replicas.flatMap((replica) => replica.complaints()), []);
});

test.run();
