/** Tests restores that fail in each step. Before the site is stopped, nothing changes. Afterwards a rollback is possible. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { OPERATIONS } from "#lib/operations/table.ts";
import { requireJobData } from "#lib/jobs/data.ts";
import { checkAndEnqueueAction } from "#lib/domains/spokes/actions.ts";
import { hideOperatorDetails } from "#lib/base/operator-details.ts";
import { listReplacedPvcs } from "#lib/domains/backups/retained-pvcs.ts";
import type { FaultRegistry } from "#lib/dev/simulator/faults.ts";
import type { SpokeActionName } from "#lib/operations/table.ts";
import type { Job } from "#lib/jobs/job.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";
import { lookOnce } from "#test/lib/workers/sweep/checks.ts";
import { installSpoke, NEW, readSiteState } from "#test/lib/workers/upgrade/scene.ts";
import { rejection, until } from "#test/support/until.ts";
import { backUp, deleteDuePvcs, listPvcs, readMarks, runAction, runRestore, usedPvcs, writeMark } from "./scene.ts";
import { selectRows } from "#test/support/rows.ts";

const test = suite<{ scene: WorkScene; id: string; backup: string }>("a failed restore");
test.before(async (context) => {
  const scene = context.scene = await openWorkScene();
  await scene.replica();
  const id = context.id = await installSpoke(scene, "algebra");
  await writeMark(scene, id, "as it was");
  context.backup = await backUp(scene, id);
  await writeMark(scene, id, "before the restore");
});
test.after(({ scene }) => scene.close());

const FORCED = "?fieldManager=wheelwright&force=true";

/** Faults that make each step fail permanently. */
const STEP_FAULTS: Readonly<Record<string, (faults: FaultRegistry) => string>> = {
  stop: (faults) => faults.answer(403, { method: "PATCH", path: "/cronjobs/moodle-cron" }),
  switch: (faults) => faults.answer(403, { method: "DELETE", path: "/statefulsets/db" }),
  database: (faults) => faults.failJob("claim-", { log: ["psql: error: no"], exitCode: 2 }),
  app: (faults) => faults.answer(403, { method: "PATCH", path: "/services/moodle" }),
  setup: (faults) => faults.failJob("setup-", { log: ["500"], exitCode: 22 }),
  cron: (faults) => faults.answer(403, { method: "PATCH", path: `/cronjobs/moodle-cron${FORCED}` }),
  retain: (faults) => faults.answer(403, { method: "PATCH", path: "/persistentvolumeclaims/" }),
};

/** Asserts that the cluster matches the row, and has no other PVCs than the retained ones. */
async function assertConsistent(scene: WorkScene, id: string): Promise<void> {
  await deleteDuePvcs(scene);
  const row = await scene.row(id), retained = (await listReplacedPvcs(scene.db.rows, id)).map(({ claim }) => claim);
  assert.equal([row.state, row.health], ["active", "healthy"]);
  assert.equal(listPvcs(scene, row), [...usedPvcs(row), ...retained].sort());
  const sources = ["VolumeSnapshot", "VolumeSnapshotContent"].flatMap((kind) => scene.simulator.objects(kind));
  assert.equal(sources.filter(({ metadata }) => metadata.name.includes("origin-")), []);
  assert.equal(await selectRows(scene.db, "retained_pvcs", { reason: "unused" }), []);
  await lookOnce(scene.app);
  assert.is((await scene.row(id)).drift, null);
}

async function assertRefused(scene: WorkScene, id: string, action: SpokeActionName, message: RegExp): Promise<void> {
  const parameters = action === "upgrade" ? { lmsVersion: NEW, skipBackup: true } : {};
  const request = scene.db.transact((tx) =>
    checkAndEnqueueAction(scene.app, tx, scene.actor, id, { action, parameters })
  );
  assert.match((await rejection(request)).message, message);
}

function assertRollbackHint({ failure, spokeId }: Job): void {
  assert.match(
    failure!.message,
    "The site must stay stopped. The previous volumes are unchanged",
  );
  assert.match(failure!.hint!, `Or ask an operator to roll back: wheelwright restore ${spokeId} --back`);
  assert.not.match(hideOperatorDetails({ role: "hub_admin" }, failure!.hint!), "wheelwright restore");
}

for (const [step, breakStep] of Object.entries(STEP_FAULTS)) {
  test(`in step ${step} leaves the site down, its previous volumes unchanged and a rollback possible`, async ({ scene, id }) => {
    const before = await scene.row(id);
    const fault = breakStep(scene.simulator.faults);
    const job = await runRestore(scene, id);
    assert.equal([job.state, job.failure?.step], ["failed", step], job.failure?.message);
    assertRollbackHint(job);
    scene.simulator.faults.remove(fault);
    const row = await scene.row(id);
    assert.equal([row.state, row.health, row.stateReason], ["failed", "unknown", job.failure!.message]);
    assert.equal([row.lmsVersion, row.blueprintInputs], [before.lmsVersion, before.blueprintInputs]);
    if (step !== "stop" && step !== "cron") { // these faults also prevent stopping the site
      await until(async () => (await readSiteState(scene, id)).pods === 0);
    }
    for (const action of ["reapply", "upgrade"] as const) {
      await assertRefused(
        scene,
        id,
        action,
        /its restore is incomplete; an operator must restore it again or roll it back/,
      );
    }
    await assertRefused(scene, id, "retry", /only a failed install or upgrade can be retried/);
    const rollback = await runRestore(scene, id, { rollback: true });
    assert.equal([rollback.state, rollback.failure?.message], ["succeeded", undefined]);
    assert.equal(await readMarks(scene, id), ["before the restore", "before the restore"]);
    assert.equal((await scene.row(id)).blueprintInputs.claims, before.blueprintInputs.claims);
    await assertConsistent(scene, id);
  });
}

test("before the stop changes nothing", async ({ scene, id, backup }) => {
  await scene.db.sql(
    "update backups set volumes = jsonb_set(volumes, '{0,handle}', '\"gone\"') where id = $1 returning id",
    [backup],
  );
  const before = await scene.row(id), stateBefore = await readSiteState(scene, id);
  const job = await runRestore(scene, id);
  assert.equal([job.state, job.failure?.step], ["failed", "volumes"], job.failure?.message);
  assert.not.match(job.failure!.hint ?? "", "--back");
  const row = await scene.row(id);
  assert.equal([row.state, row.health, row.blueprintInputs], ["active", "healthy", before.blueprintInputs]);
  assert.equal(await readSiteState(scene, id), stateBefore);
  assert.equal(await readMarks(scene, id), ["before the restore", "before the restore"]);
  await assertConsistent(scene, id);
});

test("does not start Moodle on the data of another site", async ({ scene, id }) => {
  const site = scene.simulator.site((await scene.row(id)).namespace), own = site.database!;
  site.saveDatabase({ ...own, config: { ...own.config, siteidentifier: "another" } });
  await backUp(scene, id);
  site.saveDatabase(own);
  const historyLength = scene.simulator.history().length;
  const job = await runRestore(scene, id);
  assert.equal([job.state, job.failure?.step, job.failure?.code], ["failed", "database", "AnotherSite"]);
  const started = scene.simulator.history().slice(historyLength).filter(({ kind, name, type }) =>
    kind === "Pod" && type === "ADDED" && name.startsWith("moodle-") && !name.startsWith("moodle-cron")
  );
  assert.equal(started, []);
  assert.is((await runRestore(scene, id, { rollback: true })).state, "succeeded");
  await assertConsistent(scene, id);
});

test("can be restored again, and its unused volumes are deleted", async ({ scene, id, backup }) => {
  await scene.db.sql("update backups set deleting_since = now() where spoke_id = $1", [id]);
  await writeMark(scene, id, "as it was");
  const good = await backUp(scene, id);
  await writeMark(scene, id, "before the restore");
  const fault = STEP_FAULTS["setup"]!(scene.simulator.faults);
  assert.is((await runRestore(scene, id)).state, "failed");
  assert.is((await runRestore(scene, id, { backupId: good })).failure?.step, "setup");
  scene.simulator.faults.remove(fault);
  const job = await runRestore(scene, id);
  assert.equal([job.state, job.failure?.message], ["succeeded", undefined]);
  assert.equal(await readMarks(scene, id), ["as it was", "as it was"]);
  await assertConsistent(scene, id);
  assert.is.not(good, backup);
});

test("of an upgrade is undone by a restore, and the next upgrade takes its own backup", async ({ scene, id }) => {
  await writeMark(scene, id, "before the upgrade");
  const fault = scene.simulator.faults.failJob("upgrade-", { log: ["Coding error detected"], exitCode: 1 });
  const upgrade = await runAction(scene, id, "upgrade", { lmsVersion: NEW, skipBackup: false });
  assert.equal([upgrade.state, (await scene.row(id)).state], ["failed", "failed"]);
  const [upgradeBackup] = await selectRows(scene.db, "backups", { spokeId: id, kind: "upgrade" }, { columns: ["id"] });
  assert.match(upgrade.failure!.hint!, `wheelwright restore ${id} --backup ${upgradeBackup.id}`);
  const job = await runRestore(scene, id, { backupId: upgradeBackup.id });
  assert.equal([job.state, job.failure?.message], ["succeeded", undefined]);
  assert.equal(await readMarks(scene, id), ["before the upgrade", "before the upgrade"]);
  await assertConsistent(scene, id);
  scene.simulator.faults.remove(fault);
  const nextUpgrade = await runAction(scene, id, "upgrade", { lmsVersion: NEW, skipBackup: false });
  assert.equal([nextUpgrade.state, nextUpgrade.failure?.message], ["succeeded", undefined]);
  assert.is.not(
    requireJobData(OPERATIONS.upgrade.kind, nextUpgrade).progress.backup!.id,
    upgradeBackup.id,
    "it takes its own backup",
  );
});

test.run();
