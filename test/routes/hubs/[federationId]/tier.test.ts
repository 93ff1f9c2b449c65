/** Tests the preview of a new tier in the portal's settings of a hub. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import { loadCatalog } from "#lib/catalog/load.ts";
import { parsePage } from "#test/support/page.ts";
import { openScene, type Scene } from "#test/support/scene.ts";
import { NOW, selectRows, updateRows } from "#test/support/rows.ts";

const test = suite<{ scene: Scene; path: string }>("the tier in /hubs/{id}/settings");
const TIERS =
  "tiers: [shared, { name: dedicated, title: Own nodes, nodeSelector: { pool: own }, bounds: { spokes: 9 } }]";
const UNREACHABLE = {
  clusterFor: () => "default",
  open: () => Promise.reject(new ClusterError("unreachable", "nobody answers", { transient: true })),
};

test.before.each(async (context) => {
  const scene = context.scene = await openScene();
  Object.assign(scene.app, { catalog: loadCatalog(TIERS, scene.app.blueprint), clusters: UNREACHABLE });
  context.path = `/hubs/${scene.hub}/settings`;
  await updateRows(scene.db, "spokes", { state: "active", readyAt: NOW });
  await updateRows(scene.db, "federations", { tier: "shared" });
});
test.after.each(({ scene }) => scene.close());

test("an operator sees what moves, and starts the rollout", async ({ scene, path }) => {
  const form = await parsePage(scene, path, "operator");
  assert.match(form.text, "Own nodes nodes with pool=own, at most 9 spokes");
  const preview = await form.submit("Save", { Tier: "dedicated", Name: "New" });
  assert.match(preview.text, "The new tier changes 1 spoke");
  assert.match(preview.text, "1 spoke; its length is not known yet");
  assert.equal(await selectRows(scene.db, "rollouts"), []);
  const saved = await preview.submit("Change the hub", { "Start a rollout that changes the sites": true });
  assert.is(saved.path, `${path}?done=changed`);
  const [hub] = await selectRows(scene.db, "federations");
  assert.equal([hub!.tier, hub!.name], ["dedicated", "New"]);
  assert.is((await selectRows(scene.db, "rollouts")).length, 1);
});

test("a hub admin neither sees the nodes nor gets a tier with bounds", async ({ scene, path }) => {
  const form = await parsePage(scene, path, "hubAdmin");
  assert.not.match(form.text, "pool=own");
  assert.not.match(form.text, /Tier Shared Own nodes/);
  const change = (tier: string) => scene.as("hubAdmin").patch(`/api/federations/${scene.hub}`, { tier });
  const preview = await scene.as("hubAdmin").patch(`/api/federations/${scene.hub}?dryRun=true`, { tier: "dedicated" });
  for (const refused of [await change("dedicated"), preview]) {
    assert.equal([refused.status, refused.body.code], [403, "operator_only"]);
  }
  await updateRows(scene.db, "federations", { tier: "dedicated" });
  assert.is((await change("shared")).status, 403, "nor escapes from one");
  const fixed = await parsePage(scene, path, "hubAdmin");
  assert.is((await fixed.submit("Save", { Name: "New" })).path, `${path}?done=changed`);
  const [hub] = await selectRows(scene.db, "federations");
  assert.equal([hub!.tier, hub!.name], ["dedicated", "New"]);
});

test("a hub admin changes between tiers that are only names", async ({ scene, path }) => {
  Object.assign(scene.app, { catalog: loadCatalog("tiers: [shared, other]", scene.app.blueprint) });
  const saved = await (await parsePage(scene, path, "hubAdmin")).submit("Save", { Tier: "other" });
  assert.is(saved.path, `${path}?done=changed`);
});

test("the page of a spoke says that its site lacks what the tier sets", async ({ scene }) => {
  const show = async (from: string, to: string) => {
    await updateRows(scene.db, "spokes", { drift: { objects: [], revision: { from, to } } });
    return (await parsePage(scene, `/spokes/${scene.spoke}`, "operator")).text;
  };
  const changed = await show("abc+tier", "abc");
  assert.match(changed, "The site does not have what its hub's tier sets now.");
  assert.not.match(changed, "Rendered from blueprint revision");
  assert.match(await show("abc+moving", "def"), "Rendered from blueprint revision abc. The current revision is def.");
  assert.not.match(await show("abc", "def"), "its hub's tier");
});

test.run();
