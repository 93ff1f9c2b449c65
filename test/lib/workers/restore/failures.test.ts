/** Restores that fail, each in another step: until the site is stopped nothing has happened to it, and then there is a way back. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { acceptAction } from "#lib/domains/spokes/actions.ts";
import { hideOperatorDetails } from "#lib/base/operator-details.ts";
import { listReplacedPvcs } from "#lib/domains/backups/retained-pvcs.ts";
import type { FaultRegistry } from "#lib/dev/simulator/faults.ts";
import type { SpokeActionName } from "#lib/operations/table.ts";
import type { Job } from "#lib/jobs/job.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";
import { lookOnce } from "#test/lib/workers/sweep/checks.ts";
import { installSpoke, NEW, standing } from "#test/lib/workers/upgrade/scene.ts";
import { rejection, until } from "#test/support/until.ts";
import { ask, backUp, claims, dropClaims, mark, marks, restoreTo, usedBy } from "./scene.ts";

const test = suite<{ scene: WorkScene; id: string; backup: string }>("a restore that fails");
test.before(async (context) => {
  const scene = context.scene = await openWorkScene();
  await scene.replica();
  const id = context.id = await installSpoke(scene, "algebra");
  await mark(scene, id, "as it was");
  context.backup = await backUp(scene, id);
  await mark(scene, id, "before the restore");
});
test.after(({ scene }) => scene.close());

const FORCED = "?fieldManager=wheelwright&force=true";

/** Faults that make each step fail permanently. */
const BROKEN: Readonly<Record<string, (faults: FaultRegistry) => string>> = {
  stop: (faults) => faults.answer(403, { method: "PATCH", path: "/cronjobs/moodle-cron" }),
  switch: (faults) => faults.answer(403, { method: "DELETE", path: "/statefulsets/db" }),
  database: (faults) => faults.failJob("claim-", { log: ["psql: error: no"], exitCode: 2 }),
  app: (faults) => faults.answer(403, { method: "PATCH", path: "/services/moodle" }),
  setup: (faults) => faults.failJob("setup-", { log: ["500"], exitCode: 22 }),
  cron: (faults) => faults.answer(403, { method: "PATCH", path: `/cronjobs/moodle-cron${FORCED}` }),
  retain: (faults) => faults.answer(403, { method: "PATCH", path: "/persistentvolumeclaims/" }),
};

/** The spoke runs as its row says, and nothing else of it is there but what is kept. */
async function isWhole(scene: WorkScene, id: string): Promise<void> {
  await dropClaims(scene);
  const row = await scene.row(id), kept = (await listReplacedPvcs(scene.db.rows, id)).map(({ claim }) => claim);
  assert.equal([row.state, row.health], ["active", "healthy"]);
  assert.equal(claims(scene, row), [...usedBy(row), ...kept].sort());
  const made = ["VolumeSnapshot", "VolumeSnapshotContent"].flatMap((kind) => scene.simulator.objects(kind));
  assert.equal(made.filter(({ metadata }) => metadata.name.includes("origin-")), []);
  assert.equal(await scene.db.sql("select * from retained_pvcs where reason = 'unused'"), []);
  await lookOnce(scene.app);
  assert.is((await scene.row(id)).drift, null);
}

async function refuses(scene: WorkScene, id: string, action: SpokeActionName, words: RegExp): Promise<void> {
  const wish = action === "upgrade" ? { lmsVersion: NEW, skipBackup: true } : {};
  const asked = scene.db.transact((tx) => acceptAction(scene.app, tx, scene.actor, id, { action, parameters: wish }));
  assert.match((await rejection(asked)).message, words);
}

function tellsWayBack({ failure, spokeId }: Job): void {
  assert.match(
    failure!.message,
    "The site must stay stopped. The volumes that it had before stand untouched beside the others",
  );
  assert.match(failure!.hint!, `Or have an operator go back: wheelwright restore ${spokeId} --back`);
  assert.not.match(hideOperatorDetails({ role: "hub_admin" }, failure!.hint!), "wheelwright restore");
}

for (const [step, breakIt] of Object.entries(BROKEN)) {
  test(`in ${step} leaves the site down, all that it had untouched, and a way back`, async ({ scene, id }) => {
    const before = await scene.row(id);
    const fault = breakIt(scene.simulator.faults);
    const job = await restoreTo(scene, id);
    assert.equal([job.state, job.failure?.step], ["failed", step], job.failure?.message);
    tellsWayBack(job);
    scene.simulator.faults.remove(fault);
    const row = await scene.row(id);
    assert.equal([row.state, row.health, row.stateReason], ["failed", "unknown", job.failure!.message]);
    assert.equal([row.lmsVersion, row.blueprintInputs], [before.lmsVersion, before.blueprintInputs]);
    if (step !== "stop" && step !== "cron") { // where it is told to go, what breaks the one breaks the other
      await until(async () => (await standing(scene, id)).pods === 0);
    }
    for (const action of ["reapply", "upgrade"] as const) {
      await refuses(scene, id, action, /its restore is incomplete; an operator must restore it again or roll it back/);
    }
    await refuses(scene, id, "retry", /only a failed install or upgrade can be retried/);
    const back = await restoreTo(scene, id, { rollback: true });
    assert.equal([back.state, back.failure?.message], ["succeeded", undefined]);
    assert.equal(await marks(scene, id), ["before the restore", "before the restore"]);
    assert.equal((await scene.row(id)).blueprintInputs.claims, before.blueprintInputs.claims);
    await isWhole(scene, id);
  });
}

test("before the site is stopped changes nothing of it", async ({ scene, id, backup }) => {
  await scene.db.sql(
    "update backups set volumes = jsonb_set(volumes, '{0,handle}', '\"gone\"') where id = $1 returning id",
    [backup],
  );
  const before = await scene.row(id), stood = await standing(scene, id);
  const job = await restoreTo(scene, id);
  assert.equal([job.state, job.failure?.step], ["failed", "volumes"], job.failure?.message);
  assert.not.match(job.failure!.hint ?? "", "--back");
  const row = await scene.row(id);
  assert.equal([row.state, row.health, row.blueprintInputs], ["active", "healthy", before.blueprintInputs]);
  assert.equal(await standing(scene, id), stood);
  assert.equal(await marks(scene, id), ["before the restore", "before the restore"]);
  await isWhole(scene, id);
});

test("on data of another site starts nothing on it", async ({ scene, id }) => {
  const site = scene.simulator.site((await scene.row(id)).namespace), own = site.database!;
  site.saveDatabase({ ...own, config: { ...own.config, siteidentifier: "another" } });
  await backUp(scene, id);
  site.saveDatabase(own);
  const seen = scene.simulator.history().length;
  const job = await restoreTo(scene, id);
  assert.equal([job.state, job.failure?.step, job.failure?.code], ["failed", "database", "AnotherSite"]);
  const started = scene.simulator.history().slice(seen).filter(({ kind, name, type }) =>
    kind === "Pod" && type === "ADDED" && name.startsWith("moodle-") && !name.startsWith("moodle-cron")
  );
  assert.equal(started, []);
  assert.is((await restoreTo(scene, id, { rollback: true })).state, "succeeded");
  await isWhole(scene, id);
});

test("half-way can be restored again, and what it had made goes", async ({ scene, id, backup }) => {
  await scene.db.sql("update backups set deleting_since = now() where spoke_id = $1", [id]);
  await mark(scene, id, "as it was");
  const good = await backUp(scene, id);
  await mark(scene, id, "before the restore");
  const fault = BROKEN["setup"]!(scene.simulator.faults);
  assert.is((await restoreTo(scene, id)).state, "failed");
  assert.is((await restoreTo(scene, id, { backupId: good })).failure?.step, "setup");
  scene.simulator.faults.remove(fault);
  const job = await restoreTo(scene, id);
  assert.equal([job.state, job.failure?.message], ["succeeded", undefined]);
  assert.equal(await marks(scene, id), ["as it was", "as it was"]);
  await isWhole(scene, id);
  assert.is.not(good, backup);
});

test("after a failed upgrade brings the spoke back to before, and the next upgrade begins anew", async ({ scene, id }) => {
  await mark(scene, id, "before the upgrade");
  const fault = scene.simulator.faults.failJob("upgrade-", { log: ["Coding error detected"], exitCode: 1 });
  const upgrade = await ask(scene, id, "upgrade", { lmsVersion: NEW, skipBackup: false });
  assert.equal([upgrade.state, (await scene.row(id)).state], ["failed", "failed"]);
  const [taken] = await scene.db.sql("select id from backups where spoke_id = $1 and kind = 'upgrade'", [id]);
  assert.match(upgrade.failure!.hint!, `wheelwright restore ${id} --backup ${taken.id}`);
  const job = await restoreTo(scene, id, { backupId: taken.id });
  assert.equal([job.state, job.failure?.message], ["succeeded", undefined]);
  assert.equal(await marks(scene, id), ["before the upgrade", "before the upgrade"]);
  await isWhole(scene, id);
  scene.simulator.faults.remove(fault);
  const again = await ask(scene, id, "upgrade", { lmsVersion: NEW, skipBackup: false });
  assert.equal([again.state, again.failure?.message], ["succeeded", undefined]);
  assert.is.not(again.progress.backup.id, taken.id, "it takes a backup of its own");
});

test.run();
