/** Tests upgrades that are refused before the site changes. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { loadCatalog } from "#lib/catalog/load.ts";
import { readOperationNotes } from "#lib/jobs/operation.ts";
import type { Scheduler } from "#lib/scheduler/scheduler.ts";
import { openWorkScene, startReplica, type WorkScene } from "#test/lib/workers/scene.ts";
import {
  installSpoke,
  listJobNames,
  listObjects,
  NEW,
  OLD,
  readSiteState,
  requestAction,
  runUpgrade,
  siteStateOf,
} from "./scene.ts";
import { insertRow, selectRows, updateRows } from "#test/support/rows.ts";

interface Context {
  scene: WorkScene;
  replica: Scheduler;
  id: string;
}

const test = suite<Context>("a refused upgrade");
test.before(async (context) => {
  const scene = context.scene = await openWorkScene();
  context.replica = await scene.replica();
  context.id = await installSpoke(scene, "algebra");
});
test.after(({ scene }) => scene.close());

interface ExpectedFailure {
  readonly step?: string;
  readonly code: string;
  readonly fault: "user" | "operator" | "cluster";
  readonly message: RegExp;
  readonly hint: RegExp;
}

async function assertRefused(
  { scene, id }: Pick<Context, "scene" | "id">,
  version: string,
  expected: ExpectedFailure,
): Promise<void> {
  const before = await scene.row(id), stateBefore = await readSiteState(scene, id), { namespace } = before;
  const historyLength = scene.simulator.history().length;
  const job = await runUpgrade(scene, id, version);
  const { step, code, fault, message, hint } = job.failure!;
  assert.equal([step, code, fault], [expected.step ?? "prepare", expected.code, expected.fault], `${message} ${hint}`);
  assert.match(message, expected.message);
  assert.match(hint!, expected.hint);
  const row = await scene.row(id);
  assert.equal([row.state, row.health, row.stateReason], ["active", "healthy", message]);
  assert.equal([row.lmsVersion, row.blueprintInputs], [before.lmsVersion, before.blueprintInputs]);
  assert.equal(await readSiteState(scene, id), stateBefore);
  const changes = scene.simulator.history().slice(historyLength).filter((each) =>
    each.namespace === namespace && ["Deployment", "CronJob", "StatefulSet"].includes(each.kind) && each.write !== null
  );
  assert.equal(changes, []);
  assert.equal(await listJobNames(scene, id, "upgrade"), []);
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

test("reports that Moodle cannot upgrade a version this old, and suggests a version in between", async ({ scene }) => {
  const id = await installSpoke(scene, "botany", "4.1.3");
  const message = /Moodle 5\.2\.2 can be upgraded from 4\.4 or later; this site runs 4\.1\.3/;
  await assertRefused({ scene, id }, NEW, { code: "TooOld", fault: "user", message, hint: /an intermediate version/ });
});

test("reports that the spoke's PostgreSQL is too old", async ({ scene, id }) => {
  await setInput(scene, id, "{images,postgres}", "postgres:13-alpine");
  const message = /Moodle 5\.1\.6 needs PostgreSQL 15 or later; this spoke's database runs postgres:13-alpine/;
  await assertRefused({ scene, id }, "5.1.6", { code: "PostgresTooOld", fault: "operator", message, hint: /manually/ });
  await setInput(scene, id, "{images,postgres}", "postgres:17-alpine");
});

test("reports that the image has older code than the database, whatever its version name", async ({ scene, id }) => {
  const message = /Cannot upgrade to 4\.51\.3 .*: the site's database already has the newer version 4\.5\.12/;
  await assertRefused({ scene, id }, "4.51.3", {
    code: "NotNewer",
    fault: "user",
    message,
    hint: /cannot be downgraded/,
  });
});

test("reports a missing image while the site still runs", async ({ scene, id }) => {
  const fault = scene.simulator.faults.missingImage("v5.0.9");
  const message = /v5\.0\.9-php84/;
  await assertRefused({ scene, id }, "5.0.9", {
    code: "ErrImagePull",
    fault: "user",
    message,
    hint: /that is offered \(4/,
  });
  scene.simulator.faults.remove(fault);
});

test("changes nothing if the data belongs to another site", async ({ scene, id }) => {
  const { siteIdentifier: own } = await scene.row(id);
  const set = (to: string | null) => updateRows(scene.db, "spokes", { siteIdentifier: to }, { id });
  await set("another");
  await assertRefused({ scene, id }, NEW, {
    code: "AnotherSite",
    fault: "operator",
    message: /a different site/,
    hint: /restore/,
  });
  await set(own);
});

test("checks the version again when the operation runs", async ({ scene, id, replica }) => {
  await replica.close();
  await requestAction(scene, id, "upgrade", { lmsVersion: NEW, skipBackup: false });
  const catalog = loadCatalog('versions: [{ name: "4.5.12" }]', scene.app.blueprint);
  const other = await startReplica({ ...scene.app, catalog });
  const firstJob = await scene.ended(id, "upgrade");
  await other.close();
  assert.equal([firstJob.failure!.code, firstJob.failure!.fault], ["NotOffered", "user"]);
  assert.match(firstJob.failure!.message, /5\.2\.2 is no longer offered: lmsVersion must be one of 4\.5\.12/);

  await requestAction(scene, id, "upgrade", { lmsVersion: NEW, skipBackup: false });
  const { federationId, createdAt } = await scene.row(id), component = "mod_attendance";
  const addon = { component, version: 2024101100, enabled: true, federationId, createdAt };
  await insertRow(scene.db, "spoke_addons", { spokeId: id, ...addon });
  const source = { url: "https://example.org/a.zip", sha256: "a".repeat(64) };
  const addons = [{ component, version: 2024101100, release: "4.5.1", source, branches: ["4.5"] }];
  const strict = await startReplica({
    ...scene.app,
    catalog: loadCatalog(JSON.stringify({ addons }), scene.app.blueprint),
  });
  const { failure } = await scene.ended(id, "upgrade");
  await strict.close();
  assert.equal([failure!.step, failure!.code, failure!.fault], ["prepare", "AddonUnsupported", "user"]);
  assert.match(failure!.message, "the catalog lists no version of mod_attendance for Moodle 5.2");

  await requestAction(scene, id, "upgrade", { lmsVersion: NEW, skipBackup: false });
  await setInput(scene, id, "{images,moodle}", scene.app.catalog.imagesOf(NEW).moodle);
  await scene.replica();
  const secondJob = await scene.ended(id, "upgrade");
  assert.equal([secondJob.failure!.step, secondJob.failure!.code], ["prepare", "NotNewer"]);
  await setInput(scene, id, "{images,moodle}", scene.app.catalog.imagesOf(OLD).moodle);
  assert.equal([(await scene.row(id)).state, await readSiteState(scene, id)], ["active", siteStateOf(OLD)]);
});

test("reports that the cluster can take no backup, and continues with skipBackup", async ({ scene, id }) => {
  const classes = `${scene.simulator.url}/apis/snapshot.storage.k8s.io/v1/volumesnapshotclasses`;
  for (const { metadata } of scene.simulator.objects("VolumeSnapshotClass")) {
    assert.ok((await fetch(`${classes}/${metadata.name}`, { method: "DELETE" })).ok);
  }
  const expected = {
    step: "backup",
    code: "NoSnapshotClass",
    fault: "operator",
    message: /Cannot take a backup/,
  } as const;
  await assertRefused({ scene, id }, NEW, { ...expected, hint: /skipBackup/ });
  const [failed] = await selectRows(scene.db, "backups", { spokeId: id, kind: "upgrade" }, {
    columns: ["state", "error"],
  });
  assert.is(failed.state, "failed");
  const job = await runUpgrade(scene, id, NEW, true);
  assert.equal([job.state, await readSiteState(scene, id)], ["succeeded", siteStateOf(NEW)]);
  const notes = readOperationNotes(job).join("\n");
  assert.match(notes, /No backup was taken: Cannot take a backup/);
  assert.match(notes, /Before the upgrade, the site ran 4\.5\.12 .*\. No backup was taken/);
  assert.equal(await listObjects(scene, id, "VolumeSnapshot"), []);
});

test.run();
