import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { App } from "#lib/app.ts";
import { computeNextRestoreTestTime, type RestoreTestInterval } from "#lib/domains/backups/schedule.ts";
import { listBackupsInUse } from "#lib/domains/backups/restore-test-store.ts";
import type { FederationRow } from "#lib/domains/federations/store.ts";
import { SILENT_LOG } from "#lib/base/log.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { DAY, HOUR, MINUTE } from "#lib/base/time.ts";
import { planRestoreTests } from "#lib/recovery/restore-tests/plan.ts";
import { prepareHub, setDatabaseClock } from "#test/support/fake-spokes.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";
import { deleteRows, NOW, selectRows, updateRows } from "#test/support/rows.ts";

interface Context {
  scene: WorkScene;
  hub: FederationRow;
}

const test = suite<Context>("planRestoreTests");
const NOON = new Date("2026-11-21T12:00:00.000Z"), MORNING = new Date("2026-11-22T08:00:00.000Z");
let count = 0;

test.before(async (context) => {
  const scene = context.scene = await openWorkScene();
  context.hub = await scene.hub("math");
  await prepareHub(scene.db, context.hub);
});
test.before.each(async ({ scene }) => {
  await updateRows(scene.db, "spokes", { state: "suspended" });
  await deleteRows(scene.db, "jobs");
  await setDatabaseClock(scene.db, NOON);
});
test.after(({ scene }) => scene.close());

/** Creates an active spoke in this cluster, with a backup in each of these states, the newest last. */
async function createSpoke(
  { scene, hub }: Context,
  states: readonly string[] = ["ready"],
  cluster = "default",
): Promise<string> {
  const id = await scene.spoke(hub, `site-${++count}`);
  await deleteRows(scene.db, "jobs", { spokeId: id });
  await updateRows(scene.db, "spokes", { state: "active", cluster }, { id });
  for (const [i, state] of states.entries()) {
    await scene.db.sql(
      `insert into backups (id, spoke_id, federation_id, operation_id, cluster, namespace, kind, state, created_at, ready_at,
        failed_at, deleting_since)
      values ($1 || '_bak' || $2, $1, $3, $1 || '/' || $2, $4, 'n', 'nightly', case when $5 = 'going' then 'ready' else $5 end,
        wheelwright_now() - interval '1 hour' * (9 - $2::integer), now(), now(), case when $5 = 'going' then now() end)`,
      [id, String(i), hub.id, cluster, state],
    );
  }
  return id;
}

async function runPlan(
  { app }: WorkScene,
  restoreTests: RestoreTestInterval | "off" = "nightly",
  lanes = 64,
): Promise<void> {
  const run = { signal: new AbortController().signal, log: SILENT_LOG, throwIfStopped: () => {} } as unknown as JobRun;
  const config = { ...app.config, restoreTests, scheduler: { on: true, lanes } };
  await planRestoreTests({ ...app, config } as App).steps.due!(run);
}

/** Returns the backups with a queued restore test. */
async function listQueued({ db }: WorkScene): Promise<string[]> {
  const jobs = await db.sql(
    "select payload ->> 'backupId' as id from jobs where kind = 'restore-test' and state = 'queued'",
  );
  return jobs.map(({ id }) => id).sort();
}

const endAllJobs = ({ db }: WorkScene) => updateRows(db, "jobs", { state: "succeeded", finishedAt: NOW });

test("queues a hidden test of the newest good backup for each active spoke when it is due", async (context) => {
  const { scene } = context, id = await createSpoke(context, ["ready", "ready", "failed", "going"]);
  await runPlan(scene);
  assert.equal(await listQueued(scene), []);
  const due = computeNextRestoreTestTime(id, "nightly", NOON);
  assert.is((await scene.row(id)).restoreTestDueAt!.getTime(), due.getTime());
  await setDatabaseClock(scene.db, new Date(due.getTime() + MINUTE));
  await runPlan(scene);
  await runPlan(scene);
  assert.equal(await listQueued(scene), [`${id}_bak1`]);
  const [job] = await selectRows(scene.db, "jobs");
  assert.equal([job.visible, job.lane, job.spokeId, job.requesterId], [false, `restore-test:${id}`, id, "system"]);
  assert.equal(await listBackupsInUse(scene.db.rows, id), new Set([`${id}_bak1`]));
  assert.is((await scene.row(id)).restoreTestDueAt!.getTime(), due.getTime() + DAY);
  await endAllJobs(scene);
  assert.equal(await listBackupsInUse(scene.db.rows, id), new Set());
});

test("queues nothing if tests are off, the spoke is not active or no good backup exists", async (context) => {
  const { scene } = context, off = await createSpoke(context);
  await runPlan(scene, "off");
  assert.is((await scene.row(off)).restoreTestDueAt, null);
  const withoutBackup = await createSpoke(context, ["failed", "going"]);
  await runPlan(scene);
  await updateRows(scene.db, "spokes", { state: "suspended" }, { id: off });
  await setDatabaseClock(scene.db, MORNING);
  await runPlan(scene);
  assert.equal(await listQueued(scene), []);
  assert.ok((await scene.row(withoutBackup)).restoreTestDueAt! > MORNING);
});

test("queues one test for all missed nights, and never two for the same spoke", async (context) => {
  const { scene } = context, id = await createSpoke(context);
  await runPlan(scene);
  await setDatabaseClock(scene.db, new Date(MORNING.getTime() + 9 * DAY + 6 * HOUR));
  await Promise.all([runPlan(scene), runPlan(scene), runPlan(scene)]);
  assert.equal(await listQueued(scene), [`${id}_bak0`]);
  await setDatabaseClock(scene.db, new Date(MORNING.getTime() + 12 * DAY));
  await runPlan(scene);
  assert.equal(await listQueued(scene), [`${id}_bak0`]);
  await endAllJobs(scene);
  await runPlan(scene);
  assert.equal(await listQueued(scene), []);
});

test("limits the parallel tests per cluster, and more with few lanes; other tests wait", async (context) => {
  const { scene } = context, sameCluster: string[] = [];
  for (let i = 0; i < 5; i++) sameCluster.push(await createSpoke(context));
  const otherCluster = await createSpoke(context, ["ready"], "other");
  await runPlan(scene);
  await setDatabaseClock(scene.db, MORNING);
  await runPlan(scene, "nightly", 8);
  assert.is((await listQueued(scene)).length, 2); // one of each
  await runPlan(scene);
  assert.is((await listQueued(scene)).length, 4);
  assert.ok((await listQueued(scene)).includes(`${otherCluster}_bak0`));
  await endAllJobs(scene);
  await runPlan(scene);
  const all = await scene.db.sql("select payload ->> 'backupId' as id from jobs where kind = 'restore-test'");
  assert.equal(all.map(({ id }) => id).sort(), [...sameCluster, otherCluster].map((id) => `${id}_bak0`).sort());
});

test("spreads weekly tests over the days, and replans them when the interval changes", async (context) => {
  const { scene } = context, id = await createSpoke(context);
  await runPlan(scene, "weekly");
  const due = (await scene.row(id)).restoreTestDueAt!;
  assert.equal(due, computeNextRestoreTestTime(id, "weekly", NOON));
  await setDatabaseClock(scene.db, new Date(due.getTime() + MINUTE));
  await runPlan(scene, "weekly");
  assert.is((await scene.row(id)).restoreTestDueAt!.getTime(), due.getTime() + 7 * DAY);
  await runPlan(scene, "nightly");
  assert.is((await scene.row(id)).restoreTestDueAt!.getTime(), due.getTime() + DAY);
});

test.run();
