/** Tests POST with copyOf: version, images, disks and brand come from the backup, whatever the catalog lists now. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { loadCatalog } from "#lib/catalog/load.ts";
import { type CopyContext, NORTH, openElm, plant } from "./copy-scene.ts";
import { selectRows, updateRows } from "#test/support/rows.ts";

const test = suite<CopyContext>("POST /api/federations/{id}/spokes copyOf fits");
test.before.each(openElm);
test.after.each(({ scene }) => scene.close());

test("limits the length of its name and slug", async ({ scene, elm }) => {
  await scene.db.sql("update spokes set display_name = repeat('é', 200) where id = $1", [elm]);
  const { body } = await scene.as("hubAdmin").post(NORTH, { slug: "ash", copyOf: elm });
  assert.is(body.displayName, `Copy of ${"é".repeat(192)}`);
});

test("uses the version, images and disk sizes of the backup", async ({ scene, elm }) => {
  const images = { moodle: "registry.example/moodle:4.5.9", postgres: "postgres:17-alpine", fpmDirectory: "/etc/php" };
  const copyBackup = await plant(scene, elm, "bak_2", { lmsVersion: "4.5.9", images });
  const { body } = await scene.as("hubAdmin").post(NORTH, { slug: "ash", copyOf: elm, copyBackup });
  assert.equal([body.lmsVersion, body.from.backupId], ["4.5.9", copyBackup]);
  const [{ blueprintInputs }] = await selectRows(scene.db, "spokes", { id: body.id }, { columns: ["blueprintInputs"] });
  assert.equal([blueprintInputs.images, blueprintInputs.version], [images, "4.5.9"]);
});

test("has disks as large as the original's extended ones, and no smaller size", async ({ scene, elm }) => {
  const disks = { files: "70Gi", database: "30Gi" };
  await scene.db.sql(
    "update spokes set blueprint_inputs = jsonb_set(blueprint_inputs, '{resources,disks}', $2::jsonb) where id = $1",
    [elm, disks],
  );
  const { status, body } = await scene.as("hubAdmin").post(NORTH, { slug: "ash", copyOf: elm });
  assert.is(status, 201, body.message);
  const [{ blueprintInputs }] = await selectRows(scene.db, "spokes", { id: body.id }, { columns: ["blueprintInputs"] });
  assert.equal([blueprintInputs.resources.disks, blueprintInputs.resources.quota.storage], [disks, "200Gi"]);
  const small = await scene.as("hubAdmin").post(NORTH, { slug: "fir", copyOf: elm, size: "small" });
  assert.equal([small.status, small.body.code, small.body.message], [
    400,
    "size_too_small",
    "size must have disks as large as those of elm, 70Gi for files and 30Gi for the database: choose large",
  ]);
});

test("names the sizes that are large enough", async ({ scene, elm }) => {
  const { status, body } = await scene.as("hubAdmin").post(NORTH, { slug: "ash", copyOf: elm, size: "small" });
  assert.is(status, 400);
  assert.match(body.message, /^size must have disks as large as those of elm, .*: choose medium, large$/);
});

test("gets what the tier of its hub sets, and needs a size that the tier allows", async ({ scene, elm }) => {
  const tiers = "tiers: [{ name: own, nodeSelector: { pool: own }, sizes: [large] }]";
  Object.assign(scene.app, { catalog: loadCatalog(tiers, scene.app.blueprint) });
  await updateRows(scene.db, "federations", { tier: "own" });
  const refused = await scene.as("hubAdmin").post(NORTH, { slug: "ash", copyOf: elm });
  assert.equal([refused.status, refused.body.code], [409, "tier_size"]);
  const { status, body } = await scene.as("hubAdmin").post(NORTH, { slug: "ash", copyOf: elm, size: "large" });
  assert.is(status, 201, body.message);
  const [{ blueprintInputs }] = await selectRows(scene.db, "spokes", { id: body.id }, { columns: ["blueprintInputs"] });
  assert.equal(blueprintInputs.tier, { nodeSelector: { pool: "own" } });
});

test("works with values that the catalog no longer lists", async ({ scene, elm }) => {
  await scene.db.sql(
    `update spokes set size = 'vast', brand = 'gone', blueprint_inputs = jsonb_set(jsonb_set(blueprint_inputs,
       '{size}', '"vast"'), '{brand}', '{"name": "gone", "theme": {"color": "#123456"}}') where id = $1`,
    [elm],
  );
  const { status, body } = await scene.as("hubAdmin").post(NORTH, { slug: "ash", copyOf: elm });
  assert.equal([status, body.size, body.brand], [201, "vast", "gone"]);
  const [{ blueprintInputs }] = await selectRows(scene.db, "spokes", { id: body.id }, { columns: ["blueprintInputs"] });
  assert.equal(blueprintInputs.brand, { name: "gone", theme: { color: "#123456" } });
});

test.run();
