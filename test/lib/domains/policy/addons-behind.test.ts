/** Tests that a site counts as behind if the catalog lists a newer version of an add-on. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { loadCatalog } from "#lib/catalog/load.ts";
import type { FederationRow } from "#lib/domains/federations/store.ts";
import { patchPolicy } from "#lib/domains/policy/patch.ts";
import { showPolicy, showSpokePolicy } from "#lib/domains/policy/show.ts";
import { selectSpokes } from "#lib/domains/spokes/select.ts";
import { startRollout, waitForRollout } from "#test/lib/workers/rollouts/scene.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";
import { updateRows } from "#test/support/rows.ts";

const OLD = 2024100100, NEW = 2025020200;

interface Context {
  scene: WorkScene;
  hub: FederationRow;
  ids: string[];
}

const test = suite<Context>("add-ons of which the catalog lists a newer version");
test.before(async (context) => {
  const scene = context.scene = await openWorkScene();
  await updateRows(scene.db, "users", { operator: true, emailVerifiedAt: new Date() }, { id: scene.actor.userId });
  context.hub = await scene.hub("north");
  context.ids = [await scene.spoke(context.hub, "ash"), await scene.spoke(context.hub, "birch")];
  Object.assign(scene.app, { catalog: { ...scene.app.catalog } }); // a copy that the test can change
  await scene.replica();
  for (const id of context.ids) await scene.becomes(id, "active");
});
test.after(({ scene }) => scene.close());

/** Lists versions of the add-on, each for a branch of Moodle. */
function list({ app }: WorkScene, versions: Readonly<Record<number, string>>): void {
  const addons = Object.entries(versions).map(([version, branch]) => ({
    ...{ component: "mod_attendance", version: Number(version), release: version, branches: [branch] },
    source: { url: "https://addons.example/mod_attendance.zip", sha256: "a".repeat(64) },
  }));
  const catalog = loadCatalog(JSON.stringify({ addons }), app.blueprint);
  Object.assign(app.catalog, { addons: catalog.addons }); // replicas share this object
}

async function selectBehind({ app, db, actor }: WorkScene, ids?: string[]): Promise<string[]> {
  const found = await selectSpokes(app, db.rows, actor, { behind: true, ...(ids && { ids }) }, 100);
  return found.map(({ id }) => id).sort();
}

test("shows and selects a site as behind until it is configured", async ({ scene, hub, ids }) => {
  const { app: { catalog }, db, actor } = scene, [id = ""] = ids;
  const read = async () => (await showSpokePolicy(db.rows, id, catalog.addons)).addons;
  list(scene, { [OLD]: "4.5" });
  await patchPolicy(scene.app, actor, hub, { addons: { components: ["mod_attendance"] } });
  assert.equal(await selectBehind(scene), [...ids].sort(), "the new version has not reached the sites");
  await waitForRollout(scene, (await showPolicy(db.rows, hub.id)).rollout!, "completed");
  list(scene, { [OLD]: "4.5", [NEW]: "5.2" });
  assert.equal([(await read()).state, await selectBehind(scene)], ["in_sync", []], "it is for another Moodle");
  list(scene, { [OLD]: "4.5", [NEW]: "4.5" });
  const reason = `The site has mod_attendance ${OLD}; the catalog lists ${NEW}; configure the site to upgrade it`;
  assert.equal([(await read()).state, (await read()).reasons], ["behind", [reason]]);
  assert.is((await showPolicy(db.rows, hub.id, catalog.addons)).spokes.addons.behind, ids.length);
  assert.equal([await selectBehind(scene), await selectBehind(scene, [id])], [[...ids].sort(), [id]]);
  const rollout = await startRollout(scene, { action: "configure", selector: { behind: true } });
  await waitForRollout(scene, rollout, "completed");
  assert.equal([(await read()).state, await selectBehind(scene)], ["in_sync", []]);
  const { files } = scene.simulator.site((await scene.row(id)).namespace);
  assert.equal(files.addons, [`mod_attendance ${NEW}`]);
});

test.run();
