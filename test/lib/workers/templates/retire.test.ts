/** Tests the retirement of unused and outdated templates. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { App } from "#lib/app.ts";
import { DAY, HOUR } from "#lib/base/time.ts";
import type { SiteTemplate } from "#lib/domains/templates/store.ts";
import { createPvcsFromSnapshots } from "#lib/recovery/volumes/pvcs.ts";
import { readBackupSnapshots } from "#lib/recovery/volumes/backup-snapshots.ts";
import { applySteps, createTarget, nextRun, type VolumeScene } from "#test/lib/recovery/volumes/scene.ts";
import { setDatabaseClock } from "#test/support/fake-spokes.ts";
import { rejection } from "#test/support/until.ts";
import {
  installSpoke,
  listObjectNames,
  listSourceNotes,
  listTemplates,
  openSceneWithTemplate,
  runRetirement,
  type TemplateScene,
} from "#test/lib/workers/templates/scene.ts";
import { selectRows, updateRows } from "#test/support/rows.ts";

interface Context extends TemplateScene {
  template: SiteTemplate;
}

const test = suite<Context>("retireTemplates");
test.before.each(async (context) => {
  await openSceneWithTemplate(context);
  context.template = (await listTemplates(context.scene))[0]!;
});
test.after.each(({ scene }) => scene.close());

/**
 * Runs the retirement this many milliseconds after the template was ready. Unless `app` says otherwise, another version
 * is the default, because templates for the default version are kept.
 */
async function retireAfter(
  { scene, template }: Context,
  after: number,
  app: App = withOtherDefault(scene.app),
): Promise<void> {
  await setDatabaseClock(scene.db, new Date(template.readyAt!.getTime() + after));
  await runRetirement(app);
}

function withOtherDefault(app: App): App {
  return { ...app, catalog: { ...app.catalog, defaults: { ...app.catalog.defaults, version: "5.2.2" } } };
}

async function listStates({ scene }: Context): Promise<string[]> {
  return (await listTemplates(scene)).map(({ state }) => state);
}

/** Asserts that the cluster and the storage have nothing of the template. */
async function assertDeleted(context: Context): Promise<void> {
  const { scene, template } = context, [spoke] = await selectRows(scene.db, "spokes", {}, { columns: ["id"] });
  assert.equal([await listStates(context), listObjectNames(scene, "VolumeSnapshotContent")], [[], []]);
  const site = await createTarget({ scene, source: await scene.row(spoke.id) } as VolumeScene, "same"), run = nextRun();
  await applySteps(site, run, "policies");
  const error = await rejection(createPvcsFromSnapshots(site, run, readBackupSnapshots(template, template)));
  assert.match(error.message, "can not find snapshot");
}

test("keeps a template that was used within 14 days, and then deletes its row, contents and snapshots", async (context) => {
  await retireAfter(context, 13 * DAY);
  assert.equal(await listStates(context), ["ready"]);
  await installSpoke(context, "second");
  await retireAfter(context, 20 * DAY);
  assert.equal(await listStates(context), ["ready"], "it was used on day 13");
  await retireAfter(context, 28 * DAY);
  await assertDeleted(context);
});

test("keeps the template for the default version, even if it is not used", async (context) => {
  await retireAfter(context, 100 * DAY, context.scene.app);
  assert.equal(await listStates(context), ["ready"]);
});

for (
  const [what, change] of Object.entries({
    "of another revision of the blueprint": "revision = 'before'",
    "of a version that is not offered": "version = '1.0'",
    "of other images": "moodle_image = 'registry.example/moodle:4.5.12'",
    "of a storage class that no region uses": "storage_class = 'fast'",
    "of a cluster that no region uses": "cluster = 'other'",
  })
) {
  test(`keeps a template ${what} for one day, because other replicas may need it`, async (context) => {
    const { db } = context.scene;
    await db.sql(`update templates set ${change}`);
    await retireAfter(context, DAY - HOUR);
    assert.equal(await listStates(context), ["ready"]);
    if (what.includes("cluster")) return;
    await retireAfter(context, DAY + HOUR);
    await assertDeleted(context);
  });
}

test("deletes the templates if TEMPLATES is off", async (context) => {
  const { app } = context.scene;
  await retireAfter(context, DAY + HOUR, { ...app, config: { ...app.config, templates: false } });
  await assertDeleted(context);
});

test("keeps a template while a running operation uses it", async (context) => {
  const { scene, hub } = context, id = await scene.spoke(hub, "second");
  await scene.becomes(id, "active");
  await scene.db.sql(
    "update jobs set state = 'queued', finished_at = null, run_at = now() + interval '99 days' where spoke_id = $1",
    [
      id,
    ],
  );
  await retireAfter(context, 30 * DAY);
  assert.equal(await listStates(context), ["ready"]);
  await scene.db.sql("update jobs set state = 'succeeded', finished_at = now() where spoke_id = $1", [id]);
  await retireAfter(context, 31 * DAY);
  await assertDeleted(context);
});

test("retries a failed deletion after an hour, and does not use the template until then", async (context) => {
  const { scene } = context, { faults } = scene.simulator;
  const fault = faults.answer(403, { method: "DELETE", path: "/volumesnapshotcontents/" });
  await retireAfter(context, 15 * DAY);
  assert.equal(await listStates(context), ["retiring"]);
  assert.equal(await listSourceNotes(scene, await installSpoke(context, "second")), [
    "Not created from a template: no template of 4.5.12 exists yet",
  ]);
  assert.equal(await listStates(context), ["retiring"], "a new template is created only after the deletion");
  faults.remove(fault);
  await retireAfter(context, 15 * DAY + HOUR);
  await assertDeleted(context);
});

test("deletes nothing in another cluster of the same name, and no replaced content", async (context) => {
  const { scene, template } = context;
  await updateRows(scene.db, "templates", { clusterUid: "another" });
  await retireAfter(context, 15 * DAY);
  assert.equal([await listStates(context), listObjectNames(scene, "VolumeSnapshotContent").length], [["retiring"], 2]);
  await scene.db.sql(
    "update templates set cluster_uid = $1, volumes = jsonb_set(volumes, '{0,snapshotUid}', '\"of another\"')",
    [template.clusterUid],
  );
  await retireAfter(context, 15 * DAY + HOUR);
  assert.equal([await listStates(context), listObjectNames(scene, "VolumeSnapshotContent").length], [[], 1]);
});

test("marks an abandoned template as failed", async (context) => {
  const { db } = context.scene;
  await updateRows(db, "templates", { state: "creating", readyAt: null });
  await retireAfter(context, 30 * 60_000);
  assert.equal(await listStates(context), ["creating"]);
  await retireAfter(context, 2 * HOUR);
  assert.equal((await listTemplates(context.scene)).map(({ state, error }) => [state, error]), [
    ["failed", "The job ended before the template was ready"],
  ]);
});

test.run();
