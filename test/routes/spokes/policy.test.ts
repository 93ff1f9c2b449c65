/** Tests the portal's page of a spoke's own values where its hub allows them. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { BIOLOGY, insertCourses, PHYSICS } from "#test/support/insert-rows.ts";
import { parsePage } from "#test/support/page.ts";
import { openScene, type Scene } from "#test/support/scene.ts";
import { updateRows } from "#test/support/rows.ts";

const test = suite<{ scene: Scene; path: string }>("/spokes/{id}/policy");
test.before.each(async (context) => {
  const scene = context.scene = await openScene();
  context.path = `/spokes/${scene.spoke}/policy`;
  await updateRows(scene.db, "spokes", { state: "active" });
});
test.after.each(({ scene }) => scene.close());

/** Shares settings with the hub's spokes, of which they may override the language and the guest access. */
async function share(scene: Scene): Promise<void> {
  await scene.as("hubAdmin").patch(`/api/federations/${scene.hub}/policy`, {
    settings: { language: "de", forcedLogin: true },
    overridable: { settings: ["language", "guestAccess"] },
  });
}

const readPolicy = async ({ as, spoke }: Scene) => (await as("spokeAdmin").get(`/api/spokes/${spoke}/policy`)).body;

test("changes what the hub allows, and returns to the hub's value", async ({ scene, path }) => {
  await share(scene);
  const spoke = await parsePage(scene, `/spokes/${scene.spoke}`, "spokeAdmin");
  assert.match(spoke.text, "Own values");
  const form = await parsePage(scene, path, "spokeAdmin");
  assert.match(form.text, "The hub's value: de");
  assert.not.match(form.text, "Sign-in required");
  assert.not.match(form.text, "Exclude this site");
  const saved = await form.submit("Save", { Language: "fr", "Guest access": "false" });
  assert.is(saved.path, `/spokes/${scene.spoke}?done=own-values`);
  const { settings } = await readPolicy(scene);
  assert.equal([settings.overrides.language, settings.overrides.guestAccess, settings.values.forcedLogin], [
    "fr",
    false,
    true,
  ]);
  await (await parsePage(scene, path, "spokeAdmin")).submit("Save", { Language: "" });
  const { settings: after } = await readPolicy(scene);
  assert.equal([after.overrides.language, after.values.language, after.overrides.guestAccess], [null, "de", false]);
});

test("shows an error at its field", async ({ scene, path }) => {
  await share(scene);
  const refused = await (await parsePage(scene, path, "spokeAdmin")).submit("Save", { Language: "Klingon" });
  assert.is(refused.status, 400);
  assert.match(refused.text, "Language must be the code of a Moodle language pack");
  assert.is(refused.field("Language").value, "Klingon");
});

test("lets hub admins exclude the spoke and include it again", async ({ scene, path }) => {
  await share(scene);
  const exclude = "Exclude this site: it keeps what it has, and gets no later changes";
  await (await parsePage(scene, path, "hubAdmin")).submit("Save", { [exclude]: true });
  assert.is((await readPolicy(scene)).settings.state, "excluded");
  await (await parsePage(scene, path, "spokeAdmin")).submit("Save", { Language: "fr" });
  assert.is((await readPolicy(scene)).settings.state, "excluded", "a spoke admin's form decides nothing about it");
  await (await parsePage(scene, path, "hubAdmin")).submit("Save", { [exclude]: false });
  assert.is.not((await readPolicy(scene)).settings.state, "excluded");
});

test("says that nothing can be changed if the hub decides everything", async ({ scene, path }) => {
  assert.match((await parsePage(scene, path, "spokeAdmin")).text, "The hub decides everything that it shares");
});

test("lets the admins of a site take versions of courses, if the site pulls", async ({ scene, path }) => {
  const { db, hub, spoke } = scene;
  await insertCourses(db, hub, spoke);
  await updateRows(db, "spokes", { content: true }, { id: spoke });
  await scene.as("hubAdmin").patch(`/api/federations/${hub}/policy`, { courses: { releases: [`${BIOLOGY}@2`] } });
  assert.not((await parsePage(scene, path, "spokeAdmin")).has("field", "Biology"), "it gets what the hub gives");
  await updateRows(db, "spokes", { contentMode: "pull" }, { id: spoke });
  const form = await parsePage(scene, path, "spokeAdmin");
  assert.equal(form.field("Biology").options, [
    "Not on this site",
    "Version 3",
    "Version 2 (chosen by the hub)",
    "Version 1",
  ]);
  assert.is(form.field("Biology").description, "Version 3 needs mod_attendance.");
  assert.not(form.has("field", "Physics"), "the hub does not give it to its sites");
  const saved = await form.submit("Save", { Biology: "2" });
  assert.is(saved.path, `/spokes/${spoke}?done=own-values`);
  assert.equal((await readPolicy(scene)).courses.overrides.releases, [`${BIOLOGY}@2`]);
  const again = await parsePage(scene, path, "spokeAdmin");
  assert.is(again.field("Biology").value, "2");
  await again.submit("Save", { Biology: "" });
  assert.is((await readPolicy(scene)).courses.overrides.releases, null);
});

test("offers no course if the site or the hub's mode does without", async ({ scene, path }) => {
  const { db, hub, spoke } = scene;
  await insertCourses(db, hub, spoke);
  await scene.as("hubAdmin").patch(`/api/federations/${hub}/policy`, { courses: { releases: [`${BIOLOGY}@2`] } });
  await updateRows(db, "spokes", { contentMode: "pull" }, { id: spoke });
  assert.not((await parsePage(scene, path, "spokeAdmin")).has("field", "Biology"));
  await updateRows(db, "spokes", { content: true }, { id: spoke });
  assert.ok((await parsePage(scene, path, "spokeAdmin")).has("field", "Biology"));
  await updateRows(db, "federations", { mode: "identity" }, { id: hub });
  assert.not((await parsePage(scene, path, "spokeAdmin")).has("field", "Biology"));
});

test("names the courses that the site has", async ({ scene }) => {
  const { db, hub, spoke } = scene;
  await insertCourses(db, hub, spoke);
  await updateRows(db, "spokes", { content: true }, { id: spoke });
  const releases = [`${BIOLOGY}@3`, `${PHYSICS}@1`];
  await scene.as("hubAdmin").patch(`/api/federations/${hub}/policy`, { courses: { releases } });
  const readPage = async () => (await parsePage(scene, `/spokes/${spoke}`, "spokeAdmin")).text;
  assert.match(await readPage(), "Courses – Behind");
  const courses = { version: 1, values: { releases }, skipped: ["the course Biology: the site lacks mod_attendance"] };
  await updateRows(db, "spokes", { blueprintInputs: JSON.stringify({ shared: { courses } }) }, { id: spoke });
  assert.match(
    await readPage(),
    "Courses Biology, not version 3 Physics, version 1 Differs the course Biology: the site",
  );
});

test.run();
