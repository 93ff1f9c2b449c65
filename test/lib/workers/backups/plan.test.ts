import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { App } from "#lib/app.ts";
import { nextBackup } from "#lib/domains/backups/schedule.ts";
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import { openCluster } from "#lib/drivers/cluster/open.ts";
import type { FederationRow } from "#lib/domains/federations/store.ts";
import { silentLog } from "#lib/base/log.ts";
import type { Run } from "#lib/scheduler/handler.ts";
import { openSimulator } from "#lib/dev/simulator/open.ts";
import { DAY, HOUR, MINUTE } from "#lib/base/time.ts";
import { planBackups } from "#lib/workers/backups/plan.ts";
import { prepareHub, setDatabaseClock } from "#test/support/fake-spokes.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";

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
  const bare = await openSimulator({ delayMs: 5, log: silentLog });
  for (const name of ["standard", "standard-retain"]) {
    await fetch(`${bare.url}/apis/snapshot.storage.k8s.io/v1/volumesnapshotclasses/${name}`, { method: "DELETE" });
  }
  const without = await openCluster({ name: "bare", kubeconfig: { text: bare.kubeconfig() }, log: silentLog });
  context.close = [() => without.close(), () => bare.close(), () => scene.close()];
  const open = (name: string) => {
    if (name === "default") return scene.app.clusters.open(name);
    if (name === "bare") return Promise.resolve(without);
    return Promise.reject(new ClusterError("unreachable", "nobody answers", { transient: true }));
  };
  context.app = { ...scene.app, clusters: { clusterFor: () => "default", open } };
  context.hub = await scene.hub("math");
  await prepareHub(scene.db, context.hub);
});
test.before.each(async ({ scene }) => {
  await scene.db.sql("update spokes set state = 'suspended'");
  await scene.db.sql("delete from jobs");
  await setDatabaseClock(scene.db, NOON);
});
test.after(async ({ close }) => {
  for (const one of close) await one();
});

/** Creates a spoke in this state and cluster, without a backup. */
async function spoke({ scene, hub }: Context, state = "active", cluster = "default"): Promise<string> {
  const id = await scene.spoke(hub, `site-${++count}`);
  await scene.db.sql("delete from jobs where spoke_id = $1", [id]);
  await scene.db.sql("update spokes set state = $2, cluster = $3 where id = $1", [id, state, cluster]);
  return id;
}

async function plan(app: App): Promise<void> {
  const run = { signal: new AbortController().signal, log: silentLog, throwIfStopped: () => {} } as unknown as Run;
  const { steps } = planBackups(app);
  await steps.abandoned!(run);
  await steps.due!(run);
}

async function queued({ db }: WorkScene, id: string): Promise<string[]> {
  const found = await db.sql("select payload ->> 'kind' as kind from jobs where spoke_id = $1 and kind = 'backup'", [
    id,
  ]);
  return found.map(({ kind }) => kind);
}

/** Marks all queued runs as ended. */
async function end({ db }: WorkScene): Promise<void> {
  await db.sql("update jobs set state = 'succeeded', finished_at = wheelwright_now()");
}

test("queues one a night for each active spoke once its time has come, asked for by the system.", async (context) => {
  const { scene, app } = context, id = await spoke(context);
  await plan(app);
  assert.equal(await queued(scene, id), []);
  const due = nextBackup(id, NOON);
  assert.is((await scene.row(id)).backupDueAt!.getTime(), due.getTime());
  await setDatabaseClock(scene.db, new Date(due.getTime() - MINUTE));
  await plan(app);
  assert.equal(await queued(scene, id), []);
  await setDatabaseClock(scene.db, new Date(due.getTime() + MINUTE));
  await plan(app);
  await end(scene);
  await plan(app);
  assert.equal(await queued(scene, id), ["nightly"]);
  const [job] = await scene.db.sql("select * from jobs where spoke_id = $1", [id]);
  assert.equal([job.visible, job.lane, job.requesterId, job.requesterEmail], [true, `spoke:${id}`, "system", "system"]);
  assert.is((await scene.row(id)).backupDueAt!.getTime(), due.getTime() + DAY);
  assert.equal(await scene.db.sql("select 1 from audit_events where kind = 'spoke_actioned'"), []);
});

test("queues one also when many plan at once.", async (context) => {
  const { scene, app } = context, ids: string[] = [];
  for (let i = 0; i < 20; i++) ids.push(await spoke(context));
  await plan(app);
  await setDatabaseClock(scene.db, MORNING);
  await Promise.all([plan(app), plan(app), plan(app), plan(app)]);
  for (const id of ids) assert.equal(await queued(scene, id), ["nightly"]);
});

test("makes up for nights that nobody was up for once.", async (context) => {
  const { scene, app } = context, id = await spoke(context);
  await plan(app);
  await setDatabaseClock(scene.db, new Date(MORNING.getTime() + 9 * DAY + 6 * HOUR));
  await plan(app);
  await end(scene);
  await plan(app);
  assert.equal(await queued(scene, id), ["nightly"]);
  assert.is((await scene.row(id)).backupDueAt!.getTime(), nextBackup(id, NOON).getTime() + 10 * DAY);
});

test("does not queue a second one behind one that has not ended.", async (context) => {
  const { scene, app } = context, id = await spoke(context);
  await plan(app);
  for (const night of [0, 1, 2]) {
    await setDatabaseClock(scene.db, new Date(MORNING.getTime() + night * DAY));
    await plan(app);
  }
  assert.equal(await queued(scene, id), ["nightly"]);
});

test("leaves out what is suspended, failed, going or not there yet.", async (context) => {
  const { scene, app } = context, active = await spoke(context);
  const ids = await Promise.all(
    ["provisioning", "failed", "suspended", "suspending", "removing"].map((state) => spoke(context, state)),
  );
  await scene.db.sql("update spokes set backup_due_at = $1", [NOON]);
  await setDatabaseClock(scene.db, MORNING);
  await plan(app);
  for (const id of ids) assert.equal(await queued(scene, id), []);
  assert.equal(await queued(scene, active), ["nightly"]);
});

test("passes the night over where the cluster has no class that retains, and keeps in mind that it has none.", async (context) => {
  const { scene, app } = context, id = await spoke(context, "active", "bare");
  await plan(app);
  const due = (await scene.row(id)).backupDueAt!;
  await setDatabaseClock(scene.db, MORNING);
  await plan(app);
  assert.equal(await queued(scene, id), []);
  assert.is((await scene.row(id)).backupDueAt!.getTime(), due.getTime() + DAY);
  const [seen] = await scene.db.sql("select classes, error from cluster_snapshots where cluster = 'bare'");
  assert.equal(seen, { classes: [], error: null });
});

test("passes it over, too, where the class that is wished for, or that fits the volumes, is not there.", async (context) => {
  const { scene, app } = context,
    named = await spoke(context),
    driven = await spoke(context),
    fine = await spoke(context);
  await scene.db.sql(
    "update spokes set blueprint_inputs = jsonb_set(blueprint_inputs, '{surroundings,snapshotClass}', '\"standard\"') where id = $1",
    [named],
  );
  await scene.db.sql(
    `insert into backups (id, spoke_id, federation_id, operation_id, cluster, namespace, kind, state, failed_at, volumes)
     select 'bak_1', id, federation_id, 'op_1', cluster, namespace, 'nightly', 'failed', now(),
       '[{"claim": "files", "snapshot": "files-1", "driver": "another.example"}]' from spokes where id = $1`,
    [driven],
  );
  await plan(app);
  await setDatabaseClock(scene.db, MORNING);
  await plan(app);
  assert.equal([await queued(scene, named), await queued(scene, driven), await queued(scene, fine)], [[], [], [
    "nightly",
  ]]);
});

test("leaves a cluster that does not answer for later, says why, and does not hold up the others.", async (context) => {
  const { scene, app } = context, away = await spoke(context, "active", "away"), here = await spoke(context);
  await plan(app);
  const due = (await scene.row(away)).backupDueAt!;
  await setDatabaseClock(scene.db, MORNING);
  await plan(app);
  assert.equal([await queued(scene, away), await queued(scene, here)], [[], ["nightly"]]);
  assert.is((await scene.row(away)).backupDueAt!.getTime(), due.getTime());
  const [seen] = await scene.db.sql("select classes, error from cluster_snapshots where cluster = 'away'");
  assert.equal(seen, { classes: null, error: "The cluster cannot be reached: nobody answers" });
  const open = () => scene.app.clusters.open("default");
  await plan({ ...app, clusters: { clusterFor: () => "default", open } });
  assert.equal(await queued(scene, away), ["nightly"]);
});

test("takes up no more than its part of what a replica can do, and goes on as some are done.", async (context) => {
  const { scene } = context, ids: string[] = [];
  for (let i = 0; i < 7; i++) ids.push(await spoke(context));
  const app = { ...context.app, config: { ...context.app.config, scheduler: { on: true, lanes: 4 } } } as App;
  const live = async () => (await scene.db.sql("select 1 from jobs where state = 'queued'")).length;
  await plan(app);
  await setDatabaseClock(scene.db, MORNING);
  await plan(app);
  assert.is(await live(), 3);
  await plan(app);
  assert.is(await live(), 3);
  for (let round = 0; round < 2; round++) {
    await end(scene);
    await plan(app);
  }
  for (const id of ids) assert.equal(await queued(scene, id), ["nightly"]);
});

test("gives a new time to what was planned while the clock was ahead.", async (context) => {
  const { scene, app } = context, id = await spoke(context);
  await setDatabaseClock(scene.db, new Date(NOON.getTime() + 300 * DAY));
  await plan(app);
  await setDatabaseClock(scene.db, NOON);
  await plan(app);
  assert.is((await scene.row(id)).backupDueAt!.getTime(), nextBackup(id, NOON).getTime());
});

test.run();
