/** What becomes of templates that nothing needs any more. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { App } from "#lib/app.ts";
import { DAY, HOUR } from "#lib/base/time.ts";
import type { SiteTemplate } from "#lib/domains/templates/store.ts";
import { createPvcsFromSnapshots } from "#lib/workers/volumes/pvcs.ts";
import { readBackupSnapshots } from "#lib/workers/volumes/backup-snapshots.ts";
import { nextRun, place, put, type VolumeScene } from "#test/lib/workers/volumes/scene.ts";
import { setDatabaseClock } from "#test/support/fake-spokes.ts";
import { rejection } from "#test/support/until.ts";
import {
  installed,
  openReady,
  retire,
  standing,
  templates,
  type TemplateScene,
  ways,
} from "#test/lib/workers/templates/scene.ts";

interface Context extends TemplateScene {
  template: SiteTemplate;
}

const test = suite<Context>("retireTemplates");
test.before.each(async (context) => {
  await openReady(context);
  context.template = (await templates(context.scene))[0]!;
});
test.after.each(({ scene }) => scene.close());

/** At so many milliseconds after the template was ready. */
async function retireAfter({ scene, template }: Context, after: number, app: App = scene.app): Promise<void> {
  await setDatabaseClock(scene.db, new Date(template.readyAt!.getTime() + after));
  await retire(app);
}

async function states({ scene }: Context): Promise<string[]> {
  return (await templates(scene)).map(({ state }) => state);
}

/** Neither the cluster nor its storage has anything of it. */
async function isGone(context: Context): Promise<void> {
  const { scene, template } = context, [spoke] = await scene.db.sql("select id from spokes");
  assert.equal([await states(context), standing(scene, "VolumeSnapshotContent")], [[], []]);
  const site = await place({ scene, source: await scene.row(spoke.id) } as VolumeScene, "same"), run = nextRun();
  await put(site, run, "policies");
  const error = await rejection(createPvcsFromSnapshots(site, run, readBackupSnapshots(template, template)));
  assert.match(error.message, "can not find snapshot");
}

test("keeps what was used within 14 days, and then deletes row, contents and snapshots", async (context) => {
  await retireAfter(context, 13 * DAY);
  assert.equal(await states(context), ["ready"]);
  await installed(context, "second");
  await retireAfter(context, 20 * DAY);
  assert.equal(await states(context), ["ready"], "it was used on the 13th");
  await retireAfter(context, 28 * DAY);
  await isGone(context);
});

for (
  const [what, change] of Object.entries({
    "of another revision of the blueprint": "revision = 'before'",
    "of a version that is not offered": "version = '1.0'",
    "of other images": "moodle_image = 'registry.example/moodle:4.5.12'",
    "of a storage class that no region names": "storage_class = 'fast'",
    "of a cluster that no region leads to": "cluster = 'other'",
  })
) {
  test(`gives one ${what} a day, for other replicas may need it, and no more`, async (context) => {
    const { db } = context.scene;
    await db.sql(`update templates set ${change}`);
    await retireAfter(context, DAY - HOUR);
    assert.equal(await states(context), ["ready"]);
    if (what.includes("cluster")) return;
    await retireAfter(context, DAY + HOUR);
    await isGone(context);
  });
}

test("takes away what there is where TEMPLATES is off", async (context) => {
  const { app } = context.scene;
  await retireAfter(context, DAY + HOUR, { ...app, config: { ...app.config, templates: false } });
  await isGone(context);
});

test("leaves one alone that an operation under way holds, and takes it when that has ended", async (context) => {
  const { scene, hub } = context, id = await scene.spoke(hub, "second");
  await scene.becomes(id, "active");
  await scene.db.sql(
    "update jobs set state = 'queued', finished_at = null, run_at = now() + interval '99 days' where spoke_id = $1",
    [
      id,
    ],
  );
  await retireAfter(context, 30 * DAY);
  assert.equal(await states(context), ["ready"]);
  await scene.db.sql("update jobs set state = 'succeeded', finished_at = now() where spoke_id = $1", [id]);
  await retireAfter(context, 31 * DAY);
  await isGone(context);
});

test("goes on in an hour with what the storage keeps, and nobody uses that meanwhile", async (context) => {
  const { scene } = context, { faults } = scene.simulator;
  const fault = faults.answer(403, { method: "DELETE", path: "/volumesnapshotcontents/" });
  await retireAfter(context, 15 * DAY);
  assert.equal(await states(context), ["retiring"]);
  assert.equal(await ways(scene, await installed(context, "second")), [
    "Not created from a template: no template of 4.5.12 exists yet",
  ]);
  assert.equal(await states(context), ["retiring"], "the next one is made when this one is gone");
  faults.remove(fault);
  await retireAfter(context, 15 * DAY + HOUR);
  await isGone(context);
});

test("deletes nothing in another cluster of the same name, and nothing that is another's by now", async (context) => {
  const { scene, template } = context;
  await scene.db.sql("update templates set cluster_uid = 'another'");
  await retireAfter(context, 15 * DAY);
  assert.equal([await states(context), standing(scene, "VolumeSnapshotContent").length], [["retiring"], 2]);
  await scene.db.sql(
    "update templates set cluster_uid = $1, volumes = jsonb_set(volumes, '{0,snapshotUid}', '\"of another\"')",
    [template.clusterUid],
  );
  await retireAfter(context, 15 * DAY + HOUR);
  assert.equal([await states(context), standing(scene, "VolumeSnapshotContent").length], [[], 1]);
});

test("says of one that nobody makes any more that it has failed", async (context) => {
  const { db } = context.scene;
  await db.sql("update templates set state = 'creating', ready_at = null");
  await retireAfter(context, 30 * 60_000);
  assert.equal(await states(context), ["creating"]);
  await retireAfter(context, 2 * HOUR);
  assert.equal((await templates(context.scene)).map(({ state, error }) => [state, error]), [
    ["failed", "Its job ended before the template was ready"],
  ]);
});

test.run();
