/** Tests upgrades that fail after the site was stopped: the site stays down, the report explains the rollback, a retry continues. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createBlueprint } from "#lib/moodle/blueprint.ts";
import type { Job } from "#lib/jobs/job.ts";
import { readOperationNotes } from "#lib/jobs/operation.ts";
import type { Scheduler } from "#lib/scheduler/scheduler.ts";
import { edited } from "#test/lib/moodle/fixtures.ts";
import { until } from "#test/support/until.ts";
import { openWorkScene, startReplica, type WorkScene } from "#test/lib/workers/scene.ts";
import { installSpoke, listObjects, NEW, OLD, readSiteState, retryUpgrade, runUpgrade, siteStateOf } from "./scene.ts";
import { selectRows } from "#test/support/rows.ts";

interface Context {
  scene: WorkScene;
  replica: Scheduler;
  id: string;
  /** IDs of the active faults, by step. */
  faults: Map<string, string>;
}

const test = suite<Context>("a failed upgrade");
test.before(async (context) => {
  context.faults = new Map();
  const scene = context.scene = await openWorkScene();
  context.replica = await scene.replica();
  context.id = await installSpoke(scene, "algebra");
});
test.after(({ scene }) => scene.close());

async function assertDown(scene: WorkScene, id: string, job: Job, step: string, from = OLD): Promise<void> {
  assert.equal([job.state, job.failure?.step], ["failed", step], job.failure?.message);
  const row = await scene.row(id);
  assert.equal([row.state, row.stateReason, row.lmsVersion], ["failed", job.failure!.message, from]);
  // The pod stops with a delay.
  await until(async () => (await readSiteState(scene, id)).pods === 0);
  const { replicas, cronPaused } = await readSiteState(scene, id);
  assert.equal([replicas, cronPaused], [0, true]);
}

async function listBackupIds(scene: WorkScene, id: string): Promise<string[]> {
  const rows = await selectRows(scene.db, "backups", { spokeId: id, state: "ready" }, {
    columns: ["id"],
    orderBy: "id",
  });
  return rows.map((row) => row.id);
}

/** API calls that fail permanently, by step. The tests remove these faults one after the other. */
const STEP_FAULTS: Readonly<Record<string, readonly [method: string, path: string]>> = {
  stop: ["PATCH", "/cronjobs/moodle-cron?fieldManager=wheelwright"],
  app: ["PATCH", "/services/moodle"],
  cron: ["PATCH", "/cronjobs/moodle-cron?fieldManager=wheelwright&force=true"],
};
const LOG = ["Upgrading moodle...", "-->System", "!!! Coding error detected, it must be fixed by a programmer !!!"];

test("in the step stop marks the spoke as failed", async ({ scene, id, faults }) => {
  for (const [step, [method, path]] of Object.entries(STEP_FAULTS)) {
    faults.set(step, scene.simulator.faults.answer(403, { method, path }));
  }
  faults.set("migrate", scene.simulator.faults.failJob("upgrade-", { log: LOG, exitCode: 1 }));
  faults.set("health", scene.simulator.faults.failJob("health-", { log: ["500"] }));
  const job = await runUpgrade(scene, id, NEW);
  assert.equal([job.state, job.failure?.step], ["failed", "stop"]);
  assert.match(job.failure!.message, "The site must stay stopped. Before the upgrade, the site ran 4.5.12 (Build");
  // The fault also prevents scaling to zero, so the state of the site is unknown.
  assert.match(job.failure!.message, /\. The current state could not be read$/);
  const { state, health, stateReason } = await scene.row(id);
  assert.equal([state, health, stateReason], ["failed", "unknown", job.failure!.message]);
  assert.ok(scene.simulator.faults.remove(faults.get("stop")!));
});

test("in the Job leaves the site down, and reports the old version, the backup and the next step", async ({ scene, id, faults }) => {
  const job = await retryUpgrade(scene, id);
  await assertDown(scene, id, job, "migrate");
  const { message, hint, log } = job.failure!;
  const snapshots = await listObjects(scene, id, "VolumeSnapshot");
  assert.is(snapshots.length, 2);
  const [backup] = await listBackupIds(scene, id);
  assert.match(message, /^Moodle could not be upgraded because .*Coding error detected/);
  assert.not.match(message, "looked at");
  for (const word of ["The site must stay stopped", "the site ran 4.5.12 (Build", backup!]) assert.match(message, word);
  for (const { metadata, status } of snapshots) {
    assert.match(message, metadata.name);
    assert.match(message, status.boundVolumeSnapshotContentName);
  }
  assert.match(
    hint!,
    new RegExp(`retry.*Or ask an operator to restore the backup: wheelwright restore ${id} --backup ${backup}`),
  );
  assert.equal(log, LOG);
  const audits = await selectRows(scene.db, "audit_events", { kind: "spoke_action_failed" }, {
    columns: ["metadata"],
    orderBy: "at",
  });
  const changes = audits.map(({ metadata: { step, from, to } }) => [step, from, to]);
  assert.equal(changes, [["stop", OLD, NEW], ["migrate", OLD, NEW]]);
  scene.simulator.faults.remove(faults.get("migrate")!);
});

test("whose retry fails in the step prepare stays down, with the same rollback hint", async ({ scene, id }) => {
  const [backup] = await listBackupIds(scene, id);
  const fault = scene.simulator.faults.missingImage("v5.2.2");
  const job = await retryUpgrade(scene, id);
  await assertDown(scene, id, job, "prepare");
  assert.match(job.failure!.message, backup!);
  assert.match(job.failure!.hint!, /wheelwright restore/);
  scene.simulator.faults.remove(fault);
});

test("after the migration leaves the site down", async ({ scene, id, faults }) => {
  for (const step of ["app", "cron", "health"]) {
    const job = await retryUpgrade(scene, id);
    await assertDown(scene, id, job, step);
    assert.match(job.failure!.message, "the site ran 4.5.12", step);
    scene.simulator.faults.remove(faults.get(step)!);
  }
});

test("is continued by a retry, which takes no second backup", async ({ scene, id }) => {
  const { siteIdentifier: own } = await scene.row(id), backupsBefore = await listBackupIds(scene, id);
  assert.is(backupsBefore.length, 1);
  const job = await retryUpgrade(scene, id);
  assert.equal([job.state, job.failure], ["succeeded", null]);
  assert.equal(await readSiteState(scene, id), siteStateOf(NEW));
  const row = await scene.row(id);
  assert.equal([row.state, row.stateReason, row.lmsVersion, row.siteIdentifier], ["active", null, NEW, own]);
  assert.equal(await listBackupIds(scene, id), backupsBefore);
  const notes = readOperationNotes(job).join("\n");
  assert.match(
    notes,
    `No new backup was taken, because the site is partly upgraded. Backup ${backupsBefore[0]} contains the site from`,
  );
  assert.match(notes, "Before the upgrade, the site ran 4.5.12");
  const [audit] = await selectRows(scene.db, "audit_events", { kind: "spoke_action_succeeded" }, {
    columns: ["metadata"],
  });
  assert.equal([audit.metadata.from, audit.metadata.to], [OLD, NEW]);
});

test("does not affect the next upgrade, which takes its own backup", async ({ scene, id }) => {
  assert.is((await runUpgrade(scene, id, "5.2.9")).state, "succeeded");
  assert.is((await listBackupIds(scene, id)).length, 2);
});

test("is reported if the Job succeeds but the database has the old version", async ({ scene, id, replica }) => {
  await replica.close();
  const idle = edited("upgrade-job.yaml", 'AUTO_UPDATE_MOODLE, value: "true"', 'AUTO_UPDATE_MOODLE, value: "false"');
  const other = await startReplica({ ...scene.app, blueprint: createBlueprint(idle) });
  try {
    const job = await runUpgrade(scene, id, "5.3.1");
    await assertDown(scene, id, job, "migrate", "5.2.9");
    assert.is(job.failure!.code, "NotUpgraded");
    assert.match(job.failure!.message, /the database still has Moodle 5\.2\.9 \(Build/);
  } finally {
    await other.close();
  }
});

test.run();
