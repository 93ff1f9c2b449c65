/** Upgrades that cannot be: each is told before anything of the site is touched. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { loadCatalog } from "#lib/catalog/load.ts";
import { notesOf } from "#lib/jobs/operation.ts";
import type { Scheduler } from "#lib/scheduler/scheduler.ts";
import { openWorkScene, startReplica, type WorkScene } from "#test/lib/workers/scene.ts";
import { ask, installSpoke, jobNames, NEW, objects, OLD, running, standing, upgradeTo } from "./scene.ts";

interface Context {
  scene: WorkScene;
  replica: Scheduler;
  id: string;
}

const test = suite<Context>("an upgrade that cannot be");
test.before(async (context) => {
  const scene = context.scene = await openWorkScene();
  context.replica = await scene.replica();
  context.id = await installSpoke(scene, "algebra");
});
test.after(({ scene }) => scene.close());

interface Told {
  readonly step?: string;
  readonly code: string;
  readonly fault: "user" | "operator" | "cluster";
  readonly message: RegExp;
  readonly hint: RegExp;
}

async function isRefused({ scene, id }: Pick<Context, "scene" | "id">, version: string, told: Told): Promise<void> {
  const before = await scene.row(id), stood = await standing(scene, id), { namespace } = before;
  const seen = scene.simulator.history().length;
  const job = await upgradeTo(scene, id, version);
  const { step, code, fault, message, hint } = job.failure!;
  assert.equal([step, code, fault], [told.step ?? "prepare", told.code, told.fault], `${message} ${hint}`);
  assert.match(message, told.message);
  assert.match(hint!, told.hint);
  const row = await scene.row(id);
  assert.equal([row.state, row.health, row.stateReason], ["active", "healthy", message]);
  assert.equal([row.lmsVersion, row.blueprintInputs], [before.lmsVersion, before.blueprintInputs]);
  assert.equal(await standing(scene, id), stood);
  const touched = scene.simulator.history().slice(seen).filter((each) =>
    each.namespace === namespace && ["Deployment", "CronJob", "StatefulSet"].includes(each.kind) && each.write !== null
  );
  assert.equal(touched, []);
  assert.equal(await jobNames(scene, id, "upgrade"), []);
  const [audit] = await scene.db.sql(
    "select metadata from audit_events where kind = 'spoke_action_failed' and spoke_id = $1 order by at desc limit 1",
    [id],
  );
  const { action, from, to } = audit.metadata;
  assert.equal([action, from, to], ["upgrade", before.lmsVersion, version]);
}

async function setInput(scene: WorkScene, id: string, path: string, value: string): Promise<void> {
  await scene.db.sql(
    "update spokes set blueprint_inputs = jsonb_set(blueprint_inputs, $2::text[], to_jsonb($3::text)) where id = $1",
    [id, path, value],
  );
}

test("because Moodle does not take over sites as old as this one says what to do in between", async ({ scene }) => {
  const id = await installSpoke(scene, "botany", "4.1.3");
  const message = /Moodle 5\.2\.2 can be upgraded from 4\.4 or later; this site runs 4\.1\.3/;
  await isRefused({ scene, id }, NEW, { code: "TooOld", fault: "user", message, hint: /version in between/ });
});

test("because the spoke's own PostgreSQL is too old for it says so, and keeps that PostgreSQL", async ({ scene, id }) => {
  await setInput(scene, id, "{images,postgres}", "postgres:13-alpine");
  const message = /Moodle 5\.1\.6 needs PostgreSQL 15 or later; this spoke's database runs postgres:13-alpine/;
  await isRefused({ scene, id }, "5.1.6", { code: "PostgresTooOld", fault: "operator", message, hint: /manually/ });
  await setInput(scene, id, "{images,postgres}", "postgres:17-alpine");
});

test("because the image holds older code than the database is of says both, whatever the version is called", async ({ scene, id }) => {
  const message = /Cannot upgrade to 4\.51\.3 .*: the site's database already has version 4\.5\.12 .*, which is newer/;
  await isRefused({ scene, id }, "4.51.3", { code: "NotNewer", fault: "user", message, hint: /cannot be downgraded/ });
});

test("because there is no image of it is told while the site still runs", async ({ scene, id }) => {
  const fault = scene.simulator.faults.missingImage("v5.0.9");
  const message = /v5\.0\.9-php84/;
  await isRefused({ scene, id }, "5.0.9", {
    code: "ErrImagePull",
    fault: "user",
    message,
    hint: /that is offered \(4/,
  });
  scene.simulator.faults.remove(fault);
});

test("because the data is another site's touches neither", async ({ scene, id }) => {
  const { siteIdentifier: own } = await scene.row(id);
  const set = (to: string | null) => scene.db.sql("update spokes set site_identifier = $2 where id = $1", [id, to]);
  await set("another");
  await isRefused({ scene, id }, NEW, {
    code: "AnotherSite",
    fault: "operator",
    message: /another site/,
    hint: /restore/,
  });
  await set(own);
});

test("because of what has changed since it was accepted is told when it runs", async ({ scene, id, replica }) => {
  await replica.close();
  await ask(scene, id, "upgrade", { lmsVersion: NEW, skipBackup: false });
  const catalog = loadCatalog('versions: [{ name: "4.5.12" }]', scene.app.blueprint);
  const other = await startReplica({ ...scene.app, catalog });
  const dropped = await scene.ended(id, "upgrade");
  await other.close();
  assert.equal([dropped.failure!.code, dropped.failure!.fault], ["NotOffered", "user"]);
  assert.match(dropped.failure!.message, /5\.2\.2 is no longer offered: lmsVersion must be one of 4\.5\.12/);

  await ask(scene, id, "upgrade", { lmsVersion: NEW, skipBackup: false });
  await setInput(scene, id, "{images,moodle}", scene.app.catalog.imagesOf(NEW).moodle);
  await scene.replica();
  const there = await scene.ended(id, "upgrade");
  assert.equal([there.failure!.step, there.failure!.code], ["prepare", "NotNewer"]);
  await setInput(scene, id, "{images,moodle}", scene.app.catalog.imagesOf(OLD).moodle);
  assert.equal([(await scene.row(id)).state, await standing(scene, id)], ["active", running(OLD)]);
});

test("because the cluster can take no backup says so, and can be without one where that was asked for", async ({ scene, id }) => {
  const classes = `${scene.simulator.url}/apis/snapshot.storage.k8s.io/v1/volumesnapshotclasses`;
  for (const { metadata } of scene.simulator.objects("VolumeSnapshotClass")) {
    assert.ok((await fetch(`${classes}/${metadata.name}`, { method: "DELETE" })).ok);
  }
  const told = { step: "backup", code: "NoSnapshotClass", fault: "operator", message: /Cannot take a backup/ } as const;
  await isRefused({ scene, id }, NEW, { ...told, hint: /skipBackup/ });
  const [failed] = await scene.db.sql("select state, error from backups where spoke_id = $1 and kind = 'upgrade'", [
    id,
  ]);
  assert.is(failed.state, "failed");
  const job = await upgradeTo(scene, id, NEW, true);
  assert.equal([job.state, await standing(scene, id)], ["succeeded", running(NEW)]);
  const notes = notesOf(job).join("\n");
  assert.match(notes, /No backup was taken: Cannot take a backup/);
  assert.match(notes, /Before the upgrade the site ran 4\.5\.12 .*\. No backup was taken/);
  assert.equal(await objects(scene, id, "VolumeSnapshot"), []);
});

test.run();
