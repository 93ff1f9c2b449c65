/** Tests the portal's page of a spoke's own values where its hub allows them. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
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

test.run();
