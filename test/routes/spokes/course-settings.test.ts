/** Tests the settings that decide how a spoke's site gets the hub's courses. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import { loadCatalog } from "#lib/catalog/load.ts";
import { parsePage } from "#test/support/page.ts";
import { openScene, type Scene } from "#test/support/scene.ts";
import { selectRows, updateRows } from "#test/support/rows.ts";

const MODE = "New versions of courses";
const test = suite<{ scene: Scene; path: string }>("the courses in /spokes/{id}/settings");
test.before.each(async (context) => {
  const scene = context.scene = await openScene();
  // The form's preview asks the cluster.
  const open = () => Promise.reject(new ClusterError("unreachable", "nobody answers", { transient: true }));
  Object.assign(scene.app, { clusters: { clusterFor: () => "default", open } });
  context.path = `/spokes/${scene.spoke}/settings`;
});
test.after.each(({ scene }) => scene.close());

async function readSpoke({ db, spoke }: Scene) {
  const [{ content, contentMode, state }] = await selectRows(db, "spokes", { id: spoke });
  return { content, contentMode, state };
}

test("changes the use of courses and the way of new versions, in words", async ({ scene, path }) => {
  const form = await parsePage(scene, path, "hubAdmin");
  assert.equal([form.field("Shared courses").value, form.field(MODE).value], ["false", "subscribe"]);
  assert.equal(form.field(MODE).options, [
    "Gets each new version",
    "Admins of the site take versions",
    "Keeps the first version",
  ]);
  const saved = await form.submit("Save", { "Shared courses": "true", [MODE]: "pull" });
  assert.equal(await readSpoke(scene), { content: true, contentMode: "pull", state: "updating" });
  assert.is(saved.path, `/spokes/${scene.spoke}?done=asked`);
  assert.match(saved.part("region", "About").text, "New versions of courses Admins of the site take versions");
  const again = await parsePage(scene, path, "hubAdmin");
  assert.equal([again.field("Shared courses").value, again.field(MODE).value], ["true", "pull"]);
  await again.submit("Save", { "Shared courses": "false" });
  assert.is((await readSpoke(scene)).content, false);
});

test("leaves a mode without meaning as it is", async ({ scene, path }) => {
  await updateRows(scene.db, "spokes", { contentMode: "copy" }, { id: scene.spoke });
  const form = await parsePage(scene, path, "hubAdmin");
  assert.is(form.field(MODE).value, "subscribe");
  const saved = await form.submit("Save", { Name: "Oak school" });
  assert.is(saved.path.split("?")[0], `/spokes/${scene.spoke}`);
  assert.is((await readSpoke(scene)).contentMode, "copy");
});

test("offers the modes of the catalog", async ({ scene, path }) => {
  const offer = async (text: string) => {
    Object.assign(scene.app, { catalog: loadCatalog(text, scene.app.blueprint) });
    return await parsePage(scene, path, "hubAdmin");
  };
  assert.equal((await offer("contentModes: [subscribe, pull]")).field(MODE).options.length, 2);
  assert.not((await offer("contentModes: [subscribe]")).has("field", MODE));
});

test("does not offer them to admins of the spoke only", async ({ scene, path }) => {
  const form = await parsePage(scene, path, "spokeAdmin");
  assert.equal([form.has("field", "Shared courses"), form.has("field", MODE)], [false, false]);
  await form.submit("Save", { Name: "Oak school" });
  assert.equal(await readSpoke(scene), { content: false, contentMode: null, state: "updating" });
});

test.run();
