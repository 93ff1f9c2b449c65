import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { App } from "#lib/app.ts";
import { loadCatalog } from "#lib/catalog/load.ts";
import { computeNextBackupTime } from "#lib/domains/backups/schedule.ts";
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import { openCluster } from "#lib/drivers/cluster/open.ts";
import type { FederationRow } from "#lib/domains/federations/store.ts";
import { SILENT_LOG } from "#lib/base/log.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { openSimulator } from "#lib/dev/simulator/open.ts";
import { DAY, HOUR, MINUTE } from "#lib/base/time.ts";
import { planBackups } from "#lib/workers/backups/plan.ts";
import { prepareHub, setDatabaseClock } from "#test/support/fake-spokes.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";
import { deleteRows, NOW, selectRows, updateRows } from "#test/support/rows.ts";

interface Context {
  scene: WorkScene;
  hub: FederationRow;
  app: App;
  close: (() => Promise<unknown>)[];
}

const test = suite<Context>("planBackups");
const NOON = new Date("2026-11-21T12:00:00.000Z"), MORNING = new Date("2026-11-22T04:30:00.000Z");
let count = 0;

test.before(async (context) => {
  const scene = context.scene = await openWorkScene();
  const bare = await openSimulator({ delayMs: 5, log: SILENT_LOG });
  for (const name of ["standard", "standard-retain"]) {
    await fetch(`${bare.url}/apis/snapshot.storage.k8s.io/v1/volumesnapshotclasses/${name}`, { method: "DELETE" });
  }
  const bareCluster = await openCluster({ name: "bare", kubeconfig: { text: bare.kubeconfig() }, log: SILENT_LOG });
  context.close = [() => bareCluster.close(), () => bare.close(), () => scene.close()];
  const open = (name: string) => {
    if (name === "default") return scene.app.clusters.open(name);
    if (name === "bare") return Promise.resolve(bareCluster);
    return Promise.reject(new ClusterError("unreachable", "nobody answers", { transient: true }));
  };
  context.app = { ...scene.app, clusters: { clusterFor: () => "default", open } };
  context.hub = await scene.hub("math");
  await prepareHub(scene.db, context.hub);
});
test.before.each(async ({ scene }) => {
  await updateRows(scene.db, "spokes", { state: "suspended" });
  await deleteRows(scene.db, "jobs");
  await setDatabaseClock(scene.db, NOON);
});
test.after(async ({ close }) => {
  for (const one of close) await one();
});

/** Creates a spoke in this state and cluster, without a backup. */
async function createSpoke({ scene, hub }: Context, state = "active", cluster = "default"): Promise<string> {
  const id = await scene.spoke(hub, `site-${++count}`);
  await deleteRows(scene.db, "jobs", { spokeId: id });
  await updateRows(scene.db, "spokes", { state, cluster }, { id });
  return id;
}

async function runPlan(app: App): Promise<void> {
  const run = { signal: new AbortController().signal, log: SILENT_LOG, throwIfStopped: () => {} } as unknown as JobRun;
  const { steps } = planBackups(app);
  await steps.abandoned!(run);
  await steps.due!(run);
}

async function listQueued({ db }: WorkScene, id: string): Promise<string[]> {
  const jobs = await db.sql("select payload ->> 'kind' as kind from jobs where spoke_id = $1 and kind = 'backup'", [
    id,
  ]);
  return jobs.map(({ kind }) => kind);
}

/** Marks all queued runs as ended. */
async function endAllJobs({ db }: WorkScene): Promise<void> {
  await updateRows(db, "jobs", { state: "succeeded", finishedAt: NOW });
}

test("queues one backup per night for each active spoke when it is due, requested by the system", async (context) => {
  const { scene, app } = context, id = await createSpoke(context);
  await runPlan(app);
  assert.equal(await listQueued(scene, id), []);
  const due = computeNextBackupTime(id, NOON, null);
  assert.is((await scene.row(id)).backupDueAt!.getTime(), due.getTime());
  await setDatabaseClock(scene.db, new Date(due.getTime() - MINUTE));
  await runPlan(app);
  assert.equal(await listQueued(scene, id), []);
  await setDatabaseClock(scene.db, new Date(due.getTime() + MINUTE));
  await runPlan(app);
  await endAllJobs(scene);
  await runPlan(app);
  assert.equal(await listQueued(scene, id), ["nightly"]);
  const [job] = await selectRows(scene.db, "jobs", { spokeId: id });
  assert.equal([job.visible, job.lane, job.requesterId, job.requesterEmail], [true, `spoke:${id}`, "system", "system"]);
  assert.is((await scene.row(id)).backupDueAt!.getTime(), due.getTime() + DAY);
  assert.equal(await selectRows(scene.db, "audit_events", { kind: "spoke_actioned" }), []);
});

test("starts the backup in the time that the tier of the spoke's hub sets", async (context) => {
  const { scene, hub } = context, id = await createSpoke(context);
  const text = 'tiers: [{ name: early, backups: { window: { from: "13:00", to: "14:00" } } }]';
  const app = { ...context.app, catalog: loadCatalog(text, scene.app.blueprint) };
  await updateRows(scene.db, "federations", { tier: "early" }, { id: hub.id });
  await runPlan(app);
  const due = (await scene.row(id)).backupDueAt!;
  assert.is(due.toISOString().slice(0, 14), "2026-11-21T13:");
  await setDatabaseClock(scene.db, new Date(due.getTime() + MINUTE));
  await updateRows(scene.db, "federations", { tier: null }, { id: hub.id });
  await runPlan(app);
  assert.equal(await listQueued(scene, id), ["nightly"]);
  assert.is((await scene.row(id)).backupDueAt!.getTime(), computeNextBackupTime(id, due, null).getTime());
});

test("queues one backup when several replicas plan at the same time", async (context) => {
  const { scene, app } = context, ids: string[] = [];
  for (let i = 0; i < 20; i++) ids.push(await createSpoke(context));
  await runPlan(app);
  await setDatabaseClock(scene.db, MORNING);
  await Promise.all([runPlan(app), runPlan(app), runPlan(app), runPlan(app)]);
  for (const id of ids) assert.equal(await listQueued(scene, id), ["nightly"]);
});

test("queues one backup for all missed nights", async (context) => {
  const { scene, app } = context, id = await createSpoke(context);
  await runPlan(app);
  await setDatabaseClock(scene.db, new Date(MORNING.getTime() + 9 * DAY + 6 * HOUR));
  await runPlan(app);
  await endAllJobs(scene);
  await runPlan(app);
  assert.equal(await listQueued(scene, id), ["nightly"]);
  assert.is((await scene.row(id)).backupDueAt!.getTime(), computeNextBackupTime(id, NOON, null).getTime() + 10 * DAY);
});

test("does not queue a second backup while one is queued", async (context) => {
  const { scene, app } = context, id = await createSpoke(context);
  await runPlan(app);
  for (const night of [0, 1, 2]) {
    await setDatabaseClock(scene.db, new Date(MORNING.getTime() + night * DAY));
    await runPlan(app);
  }
  assert.equal(await listQueued(scene, id), ["nightly"]);
});

test("skips spokes that are provisioning, failed, suspended or being removed", async (context) => {
  const { scene, app } = context, active = await createSpoke(context);
  const ids = await Promise.all(
    ["provisioning", "failed", "suspended", "suspending", "removing"].map((state) => createSpoke(context, state)),
  );
  await updateRows(scene.db, "spokes", { backupDueAt: NOON });
  await setDatabaseClock(scene.db, MORNING);
  await runPlan(app);
  for (const id of ids) assert.equal(await listQueued(scene, id), []);
  assert.equal(await listQueued(scene, active), ["nightly"]);
});

test("skips the night and records the classes if the cluster has no retaining class", async (context) => {
  const { scene, app } = context, id = await createSpoke(context, "active", "bare");
  await runPlan(app);
  const due = (await scene.row(id)).backupDueAt!;
  await setDatabaseClock(scene.db, MORNING);
  await runPlan(app);
  assert.equal(await listQueued(scene, id), []);
  assert.is((await scene.row(id)).backupDueAt!.getTime(), due.getTime() + DAY);
  const [stored] = await selectRows(scene.db, "cluster_snapshots", { cluster: "bare" }, {
    columns: ["classes", "error"],
  });
  assert.equal(stored, { classes: [], error: null });
});

test("skips spokes whose configured class or driver has no retaining class", async (context) => {
  const { scene, app } = context,
    otherClass = await createSpoke(context),
    otherDriver = await createSpoke(context),
    fine = await createSpoke(context);
  await scene.db.sql(
    "update spokes set blueprint_inputs = jsonb_set(blueprint_inputs, '{surroundings,snapshotClass}', '\"standard\"') where id = $1",
    [otherClass],
  );
  await scene.db.sql(
    `insert into backups (id, spoke_id, federation_id, operation_id, cluster, namespace, kind, state, failed_at, volumes)
     select 'bak_1', id, federation_id, 'op_1', cluster, namespace, 'nightly', 'failed', now(),
       '[{"claim": "files", "snapshot": "files-1", "driver": "another.example"}]' from spokes where id = $1`,
    [otherDriver],
  );
  await runPlan(app);
  await setDatabaseClock(scene.db, MORNING);
  await runPlan(app);
  assert.equal([
    await listQueued(scene, otherClass),
    await listQueued(scene, otherDriver),
    await listQueued(scene, fine),
  ], [[], [], [
    "nightly",
  ]]);
});

test("retries an unreachable cluster later, records the reason and plans the other clusters", async (context) => {
  const { scene, app } = context,
    unreachable = await createSpoke(context, "active", "away"),
    reachable = await createSpoke(context);
  await runPlan(app);
  const due = (await scene.row(unreachable)).backupDueAt!;
  await setDatabaseClock(scene.db, MORNING);
  await runPlan(app);
  assert.equal([await listQueued(scene, unreachable), await listQueued(scene, reachable)], [[], ["nightly"]]);
  assert.is((await scene.row(unreachable)).backupDueAt!.getTime(), due.getTime());
  const [stored] = await selectRows(scene.db, "cluster_snapshots", { cluster: "away" }, {
    columns: ["classes", "error"],
  });
  assert.equal(stored, { classes: null, error: "The cluster cannot be reached: nobody answers" });
  const open = () => scene.app.clusters.open("default");
  await runPlan({ ...app, clusters: { clusterFor: () => "default", open } });
  assert.equal(await listQueued(scene, unreachable), ["nightly"]);
});

test("queues no more than its share of a replica's lanes, and continues when backups end", async (context) => {
  const { scene } = context, ids: string[] = [];
  for (let i = 0; i < 7; i++) ids.push(await createSpoke(context));
  const app = { ...context.app, config: { ...context.app.config, scheduler: { on: true, lanes: 4 } } } as App;
  const countQueued = async () => (await selectRows(scene.db, "jobs", { state: "queued" })).length;
  await runPlan(app);
  await setDatabaseClock(scene.db, MORNING);
  await runPlan(app);
  assert.is(await countQueued(), 3);
  await runPlan(app);
  assert.is(await countQueued(), 3);
  for (let round = 0; round < 2; round++) {
    await endAllJobs(scene);
    await runPlan(app);
  }
  for (const id of ids) assert.equal(await listQueued(scene, id), ["nightly"]);
});

test("replaces times that a wrong clock set too far ahead", async (context) => {
  const { scene, app } = context, id = await createSpoke(context);
  await setDatabaseClock(scene.db, new Date(NOON.getTime() + 300 * DAY));
  await runPlan(app);
  await setDatabaseClock(scene.db, NOON);
  await runPlan(app);
  assert.is((await scene.row(id)).backupDueAt!.getTime(), computeNextBackupTime(id, NOON, null).getTime());
});

test.run();
