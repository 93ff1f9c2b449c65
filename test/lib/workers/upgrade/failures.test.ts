/** Upgrades that fail half-way: the site stays down, its report has the way back, and a retry goes on. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createBlueprint } from "#lib/moodle/blueprint.ts";
import type { Job } from "#lib/jobs/job.ts";
import { notesOf } from "#lib/jobs/operation.ts";
import type { Scheduler } from "#lib/scheduler/scheduler.ts";
import { edited } from "#test/lib/moodle/fixtures.ts";
import { until } from "#test/support/until.ts";
import { openWorkScene, startReplica, type WorkScene } from "#test/lib/workers/scene.ts";
import { installSpoke, NEW, objects, OLD, retry, running, standing, upgradeTo } from "./scene.ts";

interface Context {
  scene: WorkScene;
  replica: Scheduler;
  id: string;
  /** Those that are broken, by the step in which they stand in the way. */
  faults: Map<string, string>;
}

const test = suite<Context>("an upgrade that fails");
test.before(async (context) => {
  context.faults = new Map();
  const scene = context.scene = await openWorkScene();
  context.replica = await scene.replica();
  context.id = await installSpoke(scene, "algebra");
});
test.after(({ scene }) => scene.close());

async function isDown(scene: WorkScene, id: string, job: Job, step: string, from = OLD): Promise<void> {
  assert.equal([job.state, job.failure?.step], ["failed", step], job.failure?.message);
  const row = await scene.row(id);
  assert.equal([row.state, row.stateReason, row.lmsVersion], ["failed", job.failure!.message, from]);
  // Its pod is told to end, and does so in its own time.
  await until(async () => (await standing(scene, id)).pods === 0);
  const { replicas, cronPaused } = await standing(scene, id);
  assert.equal([replicas, cronPaused], [0, true]);
}

async function backups(scene: WorkScene, id: string): Promise<string[]> {
  const rows = await scene.db.sql("select id from backups where spoke_id = $1 and state = 'ready' order by id", [id]);
  return rows.map((row) => row.id);
}

/** Calls that fail for good, each in its own step; and Jobs that do. One after the other is healed. */
const BROKEN: Readonly<Record<string, readonly [method: string, path: string]>> = {
  stop: ["PATCH", "/cronjobs/moodle-cron?fieldManager=wheelwright"],
  app: ["PATCH", "/services/moodle"],
  cron: ["PATCH", "/cronjobs/moodle-cron?fieldManager=wheelwright&force=true"],
};
const LOG = ["Upgrading moodle...", "-->System", "!!! Coding error detected, it must be fixed by a programmer !!!"];

test("as it stops the site leaves a failed spoke, which says that it is one", async ({ scene, id, faults }) => {
  for (const [step, [method, path]] of Object.entries(BROKEN)) {
    faults.set(step, scene.simulator.faults.answer(403, { method, path }));
  }
  faults.set("migrate", scene.simulator.faults.failJob("upgrade-", { log: LOG, exitCode: 1 }));
  faults.set("health", scene.simulator.faults.failJob("health-", { log: ["500"] }));
  const job = await upgradeTo(scene, id, NEW);
  assert.equal([job.state, job.failure?.step], ["failed", "stop"]);
  assert.match(job.failure!.message, "The site is to stay down. Before the upgrade the site ran 4.5.12 (Build");
  // What keeps it from being stopped keeps it from being taken down, too: nobody knows whether it is up.
  assert.match(job.failure!.message, /\. How things stand since then could not be looked at$/);
  const { state, health, stateReason } = await scene.row(id);
  assert.equal([state, health, stateReason], ["failed", "unknown", job.failure!.message]);
  assert.ok(scene.simulator.faults.remove(faults.get("stop")!));
});

test("in its Job leaves the site down, and says what it was, where that lies and what to do", async ({ scene, id, faults }) => {
  const job = await retry(scene, id);
  await isDown(scene, id, job, "migrate");
  const { message, hint, log: kept } = job.failure!;
  const snapshots = await objects(scene, id, "VolumeSnapshot");
  assert.is(snapshots.length, 2);
  const [backup] = await backups(scene, id);
  assert.match(message, /^Moodle could not be upgraded because .*Coding error detected/);
  assert.not.match(message, "looked at");
  for (const word of ["The site is to stay down", "the site ran 4.5.12 (Build", backup!]) assert.match(message, word);
  for (const { metadata, status } of snapshots) {
    assert.match(message, metadata.name);
    assert.match(message, status.boundVolumeSnapshotContentName);
  }
  assert.match(
    hint!,
    new RegExp(`retry.*Or ask an operator to restore the backup: wheelwright restore ${id} --backup ${backup}`),
  );
  assert.equal(kept, LOG);
  const audits = await scene.db.sql("select metadata from audit_events where kind = 'spoke_action_failed' order by at");
  const told = audits.map(({ metadata: { step, from, to } }) => [step, from, to]);
  assert.equal(told, [["stop", OLD, NEW], ["migrate", OLD, NEW]]);
  scene.simulator.faults.remove(faults.get("migrate")!);
});

test("again before it comes to that is still down, with the same way back", async ({ scene, id }) => {
  const [backup] = await backups(scene, id);
  const fault = scene.simulator.faults.missingImage("v5.2.2");
  const job = await retry(scene, id);
  await isDown(scene, id, job, "prepare");
  assert.match(job.failure!.message, backup!);
  assert.match(job.failure!.hint!, /wheelwright restore/);
  scene.simulator.faults.remove(fault);
});

test("after its database was taken along, before or after the site was up again, is down, too", async ({ scene, id, faults }) => {
  for (const step of ["app", "cron", "health"]) {
    const job = await retry(scene, id);
    await isDown(scene, id, job, step);
    assert.match(job.failure!.message, "the site ran 4.5.12", step);
    scene.simulator.faults.remove(faults.get(step)!);
  }
});

test("is gone on with by a retry, which takes no second backup, and ends as any other", async ({ scene, id }) => {
  const { siteIdentifier: own } = await scene.row(id), taken = await backups(scene, id);
  assert.is(taken.length, 1);
  const job = await retry(scene, id);
  assert.equal([job.state, job.failure], ["succeeded", null]);
  assert.equal(await standing(scene, id), running(NEW));
  const row = await scene.row(id);
  assert.equal([row.state, row.stateReason, row.lmsVersion, row.siteIdentifier], ["active", null, NEW, own]);
  assert.equal(await backups(scene, id), taken);
  const notes = notesOf(job).join("\n");
  assert.match(
    notes,
    `No new backup: the site is partly upgraded. The site before the upgrade is in backup ${taken[0]}`,
  );
  assert.match(notes, "Before the upgrade the site ran 4.5.12");
  const [audit] = await scene.db.sql("select metadata from audit_events where kind = 'spoke_action_succeeded'");
  assert.equal([audit.metadata.from, audit.metadata.to], [OLD, NEW]);
});

test("and one after all of that has its own backup", async ({ scene, id }) => {
  assert.is((await upgradeTo(scene, id, "5.2.9")).state, "succeeded");
  assert.is((await backups(scene, id)).length, 2);
});

test("whose Job succeeds without having done it is not believed", async ({ scene, id, replica }) => {
  await replica.close();
  const idle = edited("upgrade-job.yaml", 'AUTO_UPDATE_MOODLE, value: "true"', 'AUTO_UPDATE_MOODLE, value: "false"');
  const other = await startReplica({ ...scene.app, blueprint: createBlueprint(idle) });
  try {
    const job = await upgradeTo(scene, id, "5.3.1");
    await isDown(scene, id, job, "migrate", "5.2.9");
    assert.is(job.failure!.code, "NotUpgraded");
    assert.match(job.failure!.message, /the database has Moodle 5\.2\.9 \(Build/);
  } finally {
    await other.close();
  }
});

test.run();
