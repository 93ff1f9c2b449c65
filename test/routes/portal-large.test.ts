/** Tests pages with much data: each page has a bounded size, and paging shows each older row once. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { manifest } from "#src/manifest.ts";
import { insertManyEvents, insertManySpokes } from "#test/support/bulk-rows.ts";
import { parsePage } from "#test/support/page.ts";
import { isPageEndpoint, listEndpoints } from "#test/support/probes/endpoints.ts";
import { pathOf, sampleParams } from "#test/support/probes/samples.ts";
import { openScene, type Scene } from "#test/support/scene.ts";

const SPOKES = 500, EVENTS = 10_000, MOST_BYTES = 50_000, MOST_BYTES_A_ROW = 2_000;

const test = suite<{ scene: Scene; bytes: Map<string, number> }>("a page with much data");

test.before(async (context) => {
  const scene = context.scene = await openScene(), samples = await sampleParams(scene);
  context.bytes = new Map();
  for (const { endpoint, pattern, method } of listEndpoints(manifest)) {
    if (!endpoint.portal || !isPageEndpoint(endpoint) || method !== "GET") continue;
    const { body } = await scene.send(pathOf(pattern, samples), { headers: await scene.as("operator").credentials() });
    context.bytes.set(pattern, Buffer.byteLength(String(body)));
  }
  await insertManySpokes(scene, SPOKES);
  await insertManyEvents(scene.db, scene, EVENTS);
});
test.after(({ scene }) => scene.close());

test("is below 50 KB with little data", ({ bytes }) => {
  assert.ok(bytes.size > 30);
  assert.equal([...bytes].filter(([, size]) => size > MOST_BYTES), []);
});

/** Follows the links to older rows, for at most that many pages. Returns the IDs on each page. */
async function pageThrough(scene: Scene, path: string, ids: RegExp, most = Infinity): Promise<readonly string[][]> {
  const pages: string[][] = [];
  for (let page = await parsePage(scene, path, "operator");;) {
    const found = [...new Set([...page.html.matchAll(ids)].map(([id]) => id))];
    pages.push(found);
    const size = Buffer.byteLength(page.html);
    assert.ok(
      size < MOST_BYTES + found.length * MOST_BYTES_A_ROW,
      `${page.path}: ${size} bytes for ${found.length} rows`,
    );
    const older = page.all("link").find((name) => name === "Older");
    if (!older || pages.length === most) return pages;
    page = await page.follow("Older");
    assert.is(page.status, 200);
  }
}

test("shows each of 500 spokes once, page by page, even if 300 were created at the same time", async ({ scene }) => {
  await scene.db.sql(
    `with met as (select id, created_at from spokes where federation_id = $1 order by created_at desc offset 48 limit 300)
    update spokes set created_at = (select max(created_at) from met) where id in (select id from met)`,
    [scene.hub],
  );
  const pages = await pageThrough(scene, `/hubs/${scene.hub}`, /(?<=<li id=")spk_\w+/g);
  const rows = pages.flat();
  assert.equal(pages.slice(0, -1).map((ids) => ids.length), Array.from({ length: SPOKES / 50 }, () => 50));
  assert.is(new Set(rows).size, rows.length, "no row appears twice");
  assert.is(rows.length, SPOKES + 1);
});

test("pages through the audit log, activity and notifications", async ({ scene }) => {
  for (const path of ["/audit", `/spokes/${scene.spoke}/activity`, "/notifications"]) {
    const pages = await pageThrough(scene, path, /(?<!%2C)evt_0\d+/g, 5), rows = pages.flat();
    assert.is(pages.length, 5, path);
    assert.ok(
      pages.every((ids) => ids.length >= 20 && ids.length <= 100),
      `${path}: ${pages.map((ids) => ids.length)}`,
    );
    assert.is(new Set(rows).size, rows.length, `${path}: no row appears twice`);
    const newest = Array.from({ length: rows.length }, (_, i) => `evt_${String(EVENTS - i).padStart(26, "0")}`);
    assert.equal(rows, newest, `${path}: no row is skipped`);
  }
});

test("counts all spokes, and finds one by search", async ({ scene }) => {
  const hub = await parsePage(scene, `/hubs/${scene.hub}`, "operator");
  assert.match(hub.part("list", "Summary").text, new RegExp(`${SPOKES + 1} Spokes`));
  const found = await hub.submit("Search", { Search: "s-123.example" });
  assert.equal(found.all("listitem").filter((text) => /Spoke \d+/.test(text)).length, 1);
});

test.run();
