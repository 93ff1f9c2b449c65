/** Tests the portal's page of what a hub shares with its spokes. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { loadCatalog } from "#lib/catalog/load.ts";
import { parsePage } from "#test/support/page.ts";
import { openScene, type Scene } from "#test/support/scene.ts";
import { updateRows } from "#test/support/rows.ts";

const test = suite<{ scene: Scene; path: string }>("/hubs/{id}/policy");
test.before.each(async (context) => {
  const scene = context.scene = await openScene();
  context.path = `/hubs/${scene.hub}/policy`;
  await updateRows(scene.db, "spokes", { state: "active" });
});
test.after.each(({ scene }) => scene.close());

test("previews a change, applies it, and shows it on the spoke's page", async ({ scene, path }) => {
  const form = await parsePage(scene, path, "hubAdmin");
  assert.match(form.text, "This hub shares nothing yet");
  const preview = await form.submit("Preview", {
    ...{ Language: "de", "Guest access": "false", Colour: "#aa0044", "Upload limit": "50" },
  });
  assert.match(preview.text, "1 spoke would change now");
  assert.match(preview.text, "No site becomes unavailable");
  assert.is(preview.field("Language").value, "de");
  const saved = await preview.submit("Apply to the sites");
  assert.is(saved.path, `${path}?done=shared`);
  assert.match(saved.text, "Settings Version 1 0 1 0 0");
  const spoke = await parsePage(scene, `/spokes/${scene.spoke}`, "spokeAdmin");
  assert.match(spoke.text, "Settings – Behind The site has nothing of it yet; the hub has version 1");
  assert.is(saved.field("Upload limit").value, "50");
  const unchanged = await saved.submit("Preview");
  assert.match(unchanged.text, "Nothing changes");
});

test("previews the add-ons of each site, with the downtime, and offers those of the catalog", async ({ scene, path }) => {
  const refused = await (await parsePage(scene, path, "hubAdmin")).submit("Preview", { "Add-ons": "mod_attendance" });
  assert.match(refused.text, "The add-ons need a list of add-ons in the catalog");
  const source = { url: "https://addons.example/attendance.zip", sha256: "a".repeat(64) };
  const addon = { component: "mod_attendance", version: 2024101100, release: "4.5.1", branches: ["4.5"], source };
  const { app } = scene, catalog = loadCatalog(JSON.stringify({ addons: [addon] }), app.blueprint);
  Object.assign(app, { catalog });
  const form = await parsePage(scene, path, "hubAdmin");
  assert.match(form.text, "The catalog lists mod_attendance");
  const preview = await form.submit("Preview", { "Add-ons": "mod_attendance" });
  assert.match(preview.text, "Installs mod_attendance");
  assert.match(preview.text, "the site is in maintenance mode for about a minute");
  assert.not.match(preview.text, "No site becomes unavailable");
  const saved = await preview.submit("Apply to the sites");
  assert.match(saved.text, "Add-ons Version 1");
});

test("shows errors at their fields, and keeps the input", async ({ scene, path }) => {
  const refused = await (await parsePage(scene, path, "hubAdmin")).submit("Preview", {
    ...{ Colour: "red", Language: "de", "Upload limit": "500" },
  });
  assert.is(refused.status, 400);
  assert.match(refused.text, "Upload limit must be a whole number of MiB from 1 to 100");
  assert.match(refused.text, "Colour must be a colour such as #aa0044");
  assert.is(refused.field("Language").value, "de");
});

test("goes back to an older version", async ({ scene, path }) => {
  const page = await parsePage(scene, path, "hubAdmin");
  await (await page.submit("Preview", { Language: "de" })).submit("Apply to the sites");
  const second = await parsePage(scene, path, "hubAdmin");
  const saved = await (await second.submit("Preview", { Language: "fr" })).submit("Apply to the sites");
  assert.is(saved.field("Language").value, "fr");
  const back = await saved.submit(/^Use again/);
  assert.is(back.field("Language").value, "de");
  assert.match(back.text, "Settings Version 3");
});

test.run();
