import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { App } from "#lib/app.ts";
import { nextRestoreTest, type RestoreTestInterval } from "#lib/domains/backups/schedule.ts";
import { listBackupsInUse } from "#lib/domains/backups/restore-test-store.ts";
import type { FederationRow } from "#lib/domains/federations/store.ts";
import { silentLog } from "#lib/base/log.ts";
import type { Run } from "#lib/scheduler/handler.ts";
import { DAY, HOUR, MINUTE } from "#lib/base/time.ts";
import { planRestoreTests } from "#lib/workers/restore-tests/plan.ts";
import { prepareHub, setDatabaseClock } from "#test/support/fake-spokes.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";

interface Context {
  scene: WorkScene;
  hub: FederationRow;
}

const test = suite<Context>("planDrills");
const NOON = new Date("2026-11-21T12:00:00.000Z"), MORNING = new Date("2026-11-22T08:00:00.000Z");
let count = 0;

test.before(async (context) => {
  const scene = context.scene = await openWorkScene();
  context.hub = await scene.hub("math");
  await prepareHub(scene.db, context.hub);
});
test.before.each(async ({ scene }) => {
  await scene.db.sql("update spokes set state = 'suspended'");
  await scene.db.sql("delete from jobs");
  await setDatabaseClock(scene.db, NOON);
});
test.after(({ scene }) => scene.close());

/** Creates an active spoke in this cluster, with a backup in each of these states, the newest last. */
async function spoke(
  { scene, hub }: Context,
  states: readonly string[] = ["ready"],
  cluster = "default",
): Promise<string> {
  const id = await scene.spoke(hub, `site-${++count}`);
  await scene.db.sql("delete from jobs where spoke_id = $1", [id]);
  await scene.db.sql("update spokes set state = 'active', cluster = $2 where id = $1", [id, cluster]);
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

async function plan(
  { app }: WorkScene,
  restoreTests: RestoreTestInterval | "off" = "nightly",
  lanes = 64,
): Promise<void> {
  const run = { signal: new AbortController().signal, log: silentLog, throwIfStopped: () => {} } as unknown as Run;
  const config = { ...app.config, restoreTests, scheduler: { on: true, lanes } };
  await planRestoreTests({ ...app, config } as App).steps.due!(run);
}

/** The backups that are queued to be proved. */
async function queued({ db }: WorkScene): Promise<string[]> {
  const found = await db.sql(
    "select payload ->> 'backupId' as id from jobs where kind = 'restore-test' and state = 'queued'",
  );
  return found.map(({ id }) => id).sort();
}

const end = ({ db }: WorkScene) => db.sql("update jobs set state = 'succeeded', finished_at = wheelwright_now()");

test("queues one for each active spoke once its time has come, of its newest good backup, and nobody sees it.", async (context) => {
  const { scene } = context, id = await spoke(context, ["ready", "ready", "failed", "going"]);
  await plan(scene);
  assert.equal(await queued(scene), []);
  const due = nextRestoreTest(id, "nightly", NOON);
  assert.is((await scene.row(id)).restoreTestDueAt!.getTime(), due.getTime());
  await setDatabaseClock(scene.db, new Date(due.getTime() + MINUTE));
  await plan(scene);
  await plan(scene);
  assert.equal(await queued(scene), [`${id}_bak1`]);
  const [job] = await scene.db.sql("select * from jobs");
  assert.equal([job.visible, job.lane, job.spokeId, job.requesterId], [false, `restore-test:${id}`, id, "system"]);
  assert.equal(await listBackupsInUse(scene.db.rows, id), new Set([`${id}_bak1`]));
  assert.is((await scene.row(id)).restoreTestDueAt!.getTime(), due.getTime() + DAY);
  await end(scene);
  assert.equal(await listBackupsInUse(scene.db.rows, id), new Set());
});

test("plans nothing where drills are off, for spokes that are not active, nor where there is no good backup.", async (context) => {
  const { scene } = context, off = await spoke(context);
  await plan(scene, "off");
  assert.is((await scene.row(off)).restoreTestDueAt, null);
  const none = await spoke(context, ["failed", "going"]);
  await plan(scene);
  await scene.db.sql("update spokes set state = 'suspended' where id = $1", [off]);
  await setDatabaseClock(scene.db, MORNING);
  await plan(scene);
  assert.equal(await queued(scene), []);
  assert.ok((await scene.row(none)).restoreTestDueAt! > MORNING);
});

test("makes up for nights that nobody was up for once, and never has two for one spoke.", async (context) => {
  const { scene } = context, id = await spoke(context);
  await plan(scene);
  await setDatabaseClock(scene.db, new Date(MORNING.getTime() + 9 * DAY + 6 * HOUR));
  await Promise.all([plan(scene), plan(scene), plan(scene)]);
  assert.equal(await queued(scene), [`${id}_bak0`]);
  await setDatabaseClock(scene.db, new Date(MORNING.getTime() + 12 * DAY));
  await plan(scene);
  assert.equal(await queued(scene), [`${id}_bak0`]);
  await end(scene);
  await plan(scene);
  assert.equal(await queued(scene), []);
});

test("has a few of each cluster under way at once, and fewer where a replica does little; the others wait.", async (context) => {
  const { scene } = context, here: string[] = [];
  for (let i = 0; i < 5; i++) here.push(await spoke(context));
  const there = await spoke(context, ["ready"], "other");
  await plan(scene);
  await setDatabaseClock(scene.db, MORNING);
  await plan(scene, "nightly", 8);
  assert.is((await queued(scene)).length, 2); // one of each
  await plan(scene);
  assert.is((await queued(scene)).length, 4);
  assert.ok((await queued(scene)).includes(`${there}_bak0`));
  await end(scene);
  await plan(scene);
  const all = await scene.db.sql("select payload ->> 'backupId' as id from jobs where kind = 'restore-test'");
  assert.equal(all.map(({ id }) => id).sort(), [...here, there].map((id) => `${id}_bak0`).sort());
});

test("weekly ones come on a day of each spoke's own, and a change of the pace moves what was planned.", async (context) => {
  const { scene } = context, id = await spoke(context);
  await plan(scene, "weekly");
  const due = (await scene.row(id)).restoreTestDueAt!;
  assert.equal(due, nextRestoreTest(id, "weekly", NOON));
  await setDatabaseClock(scene.db, new Date(due.getTime() + MINUTE));
  await plan(scene, "weekly");
  assert.is((await scene.row(id)).restoreTestDueAt!.getTime(), due.getTime() + 7 * DAY);
  await plan(scene, "nightly");
  assert.is((await scene.row(id)).restoreTestDueAt!.getTime(), due.getTime() + DAY);
});

test.run();
