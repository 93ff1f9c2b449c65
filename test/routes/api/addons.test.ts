/** Tests requests for the add-ons of a spoke and for the spokes with an add-on, and the portal's pages that show them. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { loadCatalog } from "#lib/catalog/load.ts";
import { insertRow, NOW, selectRows, updateRows } from "#test/support/rows.ts";
import { parsePage } from "#test/support/page.ts";
import { openScene, type Scene } from "#test/support/scene.ts";

const SHA256 = "a".repeat(64);
const AT = "2026-11-20T10:00:00.000Z";
const CATALOG = `
addons:
  - component: mod_attendance
    version: 2024101100
    release: 4.5.1
    source: { url: https://example.org/attendance.zip, sha256: ${SHA256} }
    branches: ["4.5"]
    note: For schools
`;

const test = suite<{ scene: Scene }>("the add-ons of a spoke");
test.before.each(async (context) => {
  const { app } = context.scene = await openScene();
  Object.assign(app, { catalog: loadCatalog(CATALOG, app.blueprint) });
});
test.after.each(({ scene }) => scene.close());

/** Stores a report of a spoke with the add-ons mod_attendance and local_own. */
async function addReport({ db, spoke }: Scene): Promise<void> {
  await insertRow(db, "spoke_usage", { spokeId: spoke, observedAt: NOW, addonsAt: AT, addonCount: 3 });
  const [{ federationId, createdAt }] = await selectRows(db, "spokes", { id: spoke });
  for (const [component, enabled] of [["mod_attendance", true], ["local_own", false]] as const) {
    await insertRow(db, "spoke_addons", {
      spokeId: spoke,
      component,
      version: 2024101100,
      enabled,
      federationId,
      createdAt,
    });
  }
}

test("says when the site has not listed its add-ons, and which add-ons the catalog lists", async ({ scene }) => {
  const path = `/api/spokes/${scene.spoke}/addons`,
    read = async () => (await scene.as("spokeAdmin", "readonly").get(path)).body;
  assert.equal(await read(), { spokeId: scene.spoke, reportedAt: null, total: null, addons: [] });
  await addReport(scene);
  const { reportedAt, ...report } = await read();
  assert.is(reportedAt, AT);
  assert.equal(report, {
    spokeId: scene.spoke,
    total: 3,
    addons: [
      { component: "local_own", version: 2024101100, enabled: false, listed: false },
      { component: "mod_attendance", version: 2024101100, enabled: true, listed: true },
    ],
  });
  assert.is((await scene.as("stranger", "readonly").get(path)).status, 404);
});

test("filters spokes by add-on, in lists and for actions on many spokes", async ({ scene }) => {
  await addReport(scene);
  const { db, hub, spoke } = scene;
  await scene.as("operator").post(`/api/federations/${hub}/spokes`, { slug: "elm" });
  for (const path of ["/api/my-spokes", `/api/federations/${hub}/spokes`]) {
    for (const [addon, slugs] of [["local_own", ["oak"]], ["mod_other", []]] as const) {
      const { body } = await scene.as("hubAdmin", "readonly").get(`${path}?addon=${addon}`);
      assert.equal(body.map(({ slug }: { slug: string }) => slug), slugs, `${path} ${addon}`);
    }
    const refused = await scene.as("hubAdmin", "readonly").get(`${path}?addon=Own%20plugin`);
    assert.is(refused.status, 400);
    assert.match(refused.body.message, "addon must be the component of a plugin, such as mod_attendance");
  }
  const preview = await scene.as("operator", "cli").post("/api/spokes/actions?dryRun=true", {
    action: "restart",
    filter: { addon: "local_own" },
  });
  assert.equal(preview.body.spokes.map(({ spokeId }: { spokeId: string }) => spokeId), [spoke]);
  await updateRows(db, "spokes", { state: "removed", removedAt: NOW }, { id: spoke });
  assert.equal((await scene.as("operator").get("/api/my-spokes?addon=local_own&includeRemoved=true")).body, []);
  assert.equal(await selectRows(db, "spoke_addons"), []);
});

test("are shown on the spoke's page, and the list of spokes has the filter", async ({ scene }) => {
  assert.match((await parsePage(scene, `/spokes/${scene.spoke}`, "hubAdmin")).text, "has not listed its add-ons yet");
  await addReport(scene);
  const { text } = await parsePage(scene, `/spokes/${scene.spoke}`, "hubAdmin");
  assert.match(text, /local_own\s*2024101100\s*no\s*no/);
  assert.match(text, /mod_attendance\s*2024101100\s*yes\s*yes/);
  assert.match(text, "1 more add-ons do not fit into the site's report");
  assert.match((await parsePage(scene, "/spokes?addon=local_own", "hubAdmin")).text, "oak");
  assert.match((await parsePage(scene, "/spokes?addon=mod_other", "hubAdmin")).text, "No matching spokes");
});

test("are part of the catalog, with their versions and sources", async ({ scene }) => {
  assert.equal((await scene.as("stranger", "readonly").get("/api/catalog")).body.addons, [{
    component: "mod_attendance",
    version: 2024101100,
    release: "4.5.1",
    source: { url: "https://example.org/attendance.zip", sha256: SHA256 },
    branches: ["4.5"],
    licence: null,
    note: "For schools",
  }]);
});

test.run();
