/** Tests how the catalog's list of add-ons, and its setting for their web installer, change actions on a spoke. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { loadCatalog } from "#lib/catalog/load.ts";
import { planRollout } from "#lib/domains/rollouts/plan.ts";
import { previewSpokeAction } from "#lib/domains/spokes/action-preview.ts";
import { requestSpokeAction } from "#lib/domains/spokes/actions.ts";
import { previewBulkAction } from "#lib/domains/spokes/bulk-preview.ts";
import type { ActionPreview, SpokeAction } from "#lib/domains/spokes/views.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";
import { insertRow } from "#test/support/rows.ts";

const test = suite<{ scene: WorkScene; id: string }>("actions on a site with add-ons");
test.before(async (context) => {
  const scene = context.scene = await openWorkScene();
  context.id = await scene.spoke(await scene.hub("math"), "algebra");
  const replica = await scene.replica();
  await scene.becomes(context.id, "active");
  await replica.close(); // scheduled jobs are not part of the preview
});
test.after(({ scene }) => scene.close());

const { signal } = new AbortController();

async function preview(scene: WorkScene, id: string, requested: SpokeAction): Promise<ActionPreview> {
  return await previewSpokeAction(scene.app, scene.actor, await scene.row(id), requested, signal);
}

function fieldsOf({ changes }: ActionPreview): Record<string, [from: unknown, to: unknown]> {
  return Object.fromEntries(changes.map(({ object, field, from, to }) => [`${object} ${field}`, [from, to]]));
}

test("refuses an upgrade that a listed add-on lacks, and names add-ons that nobody has checked", async ({ scene, id }) => {
  const { catalog } = scene.app, { federationId, createdAt } = await scene.row(id);
  for (const component of ["mod_attendance", "local_own"]) {
    const addon = { component, version: 2024101100, enabled: true, federationId, createdAt };
    await insertRow(scene.db, "spoke_addons", { spokeId: id, ...addon });
  }
  const source = { url: "https://example.org/a.zip", sha256: "a".repeat(64) };
  const load = (...branches: string[]) => {
    const addons = [{ component: "mod_attendance", version: 2024101100, release: "4.5.1", source, branches }];
    Object.assign(scene.app, { catalog: loadCatalog(JSON.stringify({ addons }), scene.app.blueprint) });
  };
  load("4.5");
  const upgrade = { action: "upgrade", lmsVersion: "5.2.2" } as const, patch = { ...upgrade, lmsVersion: "4.5.13" };
  const error = await preview(scene, id, upgrade).catch((error) => error);
  assert.is(error.code, "addon_unsupported");
  assert.is(error.message, "Cannot upgrade to 5.2.2: the catalog lists no version of mod_attendance for Moodle 5.2");
  const row = await scene.row(id);
  assert.is(
    await requestSpokeAction(scene.app, scene.actor, row, upgrade).catch(({ code }) => code),
    "addon_unsupported",
  );
  const { spokes } = await previewBulkAction(scene.app, scene.actor, { ...upgrade, ids: [id] }, signal);
  assert.equal(spokes.map(({ reason }) => reason), [error.message]);
  const rollout = planRollout(scene.app, scene.db.rows, scene.actor, { ...upgrade, selector: { all: true } });
  assert.match(await rollout.catch(({ message }) => message), error.message);
  assert.not.match((await preview(scene, id, patch)).notes.join(), "local_own");
  load("4.5", "5.2");
  const { notes } = await preview(scene, id, upgrade);
  assert.match(notes.join("\n"), /because the catalog does not list them: local_own$/m);
  Object.assign(scene.app, { catalog });
  await scene.db.sql("delete from spoke_addons");
});

test("reapplies the setting of the web installer from the catalog", async ({ scene, id }) => {
  const { catalog } = scene.app, field = "ConfigMap/moodle-env data.POST_CONFIGURE_COMMANDS";
  assert.is(fieldsOf(await preview(scene, id, { action: "reapply" }))[field], undefined);
  Object.assign(scene.app, { catalog: loadCatalog("webInstaller: true", scene.app.blueprint) });
  const [from, to] = fieldsOf(await preview(scene, id, { action: "reapply" }))[field]!;
  Object.assign(scene.app, { catalog });
  assert.match(String(from), "$CFG->disableupdateautodeploy = true;");
  assert.match(String(to), "$CFG->disableupdateautodeploy = false;");
});

test.run();
