/** Tests that the sizes and bounds of a tier hold, also against requests at the same time. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { loadCatalog } from "#lib/catalog/load.ts";
import type { FederationRow } from "#lib/domains/federations/store.ts";
import { checkAndEnqueueAction } from "#lib/domains/spokes/actions.ts";
import { previewBulkAction } from "#lib/domains/spokes/bulk-preview.ts";
import { createSpoke } from "#lib/domains/spokes/create.ts";
import { previewSpoke } from "#lib/domains/spokes/preview.ts";
import { changeHub } from "#lib/domains/tiers/change.ts";
import { createTierHub } from "#test/lib/domains/tiers/scene.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";
import { deleteRows, NOW, updateRows } from "#test/support/rows.ts";
import { rejection } from "#test/support/until.ts";

const test = suite<{ scene: WorkScene; hub: FederationRow }>("the limits of a tier");

// The disks of a small site have 15Gi, those of a medium one 60Gi.
const TIERS = `
tiers:
  - { name: shared, bounds: { spokes: 2 } }
  - { name: dedicated, sizes: [large, medium], bounds: { spokes: 9 } }
  - { name: tight, bounds: { storage: 75Gi } }
  - { name: tiny, bounds: { storage: 45Gi } }
`;

test.before.each(async (context) => {
  const scene = context.scene = await openWorkScene();
  Object.assign(scene.app, { catalog: loadCatalog(TIERS, scene.app.blueprint) });
});
test.after.each(({ scene }) => scene.close());

const settle = async (attempts: readonly Promise<unknown>[]) =>
  (await Promise.allSettled(attempts)).map((one) => one.status === "fulfilled" ? "done" : String(one.reason.message));

/** Creates a spoke that is active, without its operation. */
async function addActiveSpoke({ scene }: { scene: WorkScene }, hub: FederationRow, slug: string): Promise<string> {
  const id = await scene.spoke(hub, slug, "small");
  await deleteRows(scene.db, "jobs", { spokeId: id });
  await updateRows(scene.db, "spokes", { state: "active", readyAt: NOW }, { id });
  return id;
}

const resize = ({ scene: { app, db, actor } }: { scene: WorkScene }, id: string, size: string) =>
  db.transact((tx) => checkAndEnqueueAction(app, tx, actor, id, { action: "resize", parameters: { size } }));

test("no more spokes are created than it allows, however many requests arrive at the same time", async ({ scene }) => {
  const hub = await createTierHub(scene, "north", "shared");
  const results = await settle(["a", "b", "c", "d", "e"].map((slug) => scene.spoke(hub, slug)));
  assert.is(results.filter((result) => result === "done").length, 2, results.join());
  const refusal = "The tier shared allows at most 2 in a hub, and this hub has 2 spokes";
  assert.equal([...new Set(results.filter((result) => result !== "done"))], [refusal]);
  const { app, actor } = scene, signal = new AbortController().signal;
  const preview = await rejection(previewSpoke(app, actor, hub, { slug: "f" } as never, signal));
  assert.equal([preview.message, preview.code], [refusal, "tier_bound"]);
});

test("a removed spoke makes room", async (context) => {
  const { scene } = context, hub = await createTierHub(scene, "north", "shared");
  const first = await addActiveSpoke(context, hub, "a");
  await addActiveSpoke(context, hub, "b");
  await updateRows(scene.db, "spokes", { state: "removed", removedAt: NOW }, { id: first });
  await scene.spoke(hub, "c");
});

test("only its sizes can be chosen, and the default is one of them", async (context) => {
  const { scene } = context, { app, actor } = scene, hub = await createTierHub(scene, "north", "dedicated");
  const refused = await rejection(scene.spoke(hub, "a", "small"));
  assert.equal([refused.message, refused.code], [
    "The tier dedicated allows only the sizes large, medium, not small",
    "tier_size",
  ]);
  assert.is((await createSpoke(app, actor, hub, { slug: "a" } as never, null)).size, "medium");
  Object.assign(app, { catalog: loadCatalog("tiers: [{ name: dedicated, sizes: [large] }]", app.blueprint) });
  assert.is((await createSpoke(app, actor, hub, { slug: "b" } as never, null)).size, "large");
});

test("a spoke with another size keeps it, and cannot be resized to such a size again", async (context) => {
  const { scene } = context, { app, actor } = scene, hub = await createTierHub(scene, "north", "shared");
  const id = await addActiveSpoke(context, hub, "a");
  await changeHub(app, actor, hub, { tier: "dedicated" } as never);
  await resize(context, id, "medium");
  await updateRows(scene.db, "spokes", { state: "active", size: "medium" }, { id });
  await deleteRows(scene.db, "jobs", { spokeId: id });
  const refused = await rejection(resize(context, id, "small"));
  assert.is(refused.code, "tier_size");
  const signal = new AbortController().signal;
  const preview = await previewBulkAction(app, actor, { ids: [id], action: "resize", size: "small" } as never, signal);
  assert.equal(preview.spokes.map(({ reason }) => reason), [refused.message]);
});

test("two resizes at the same time do not exceed the storage together", async (context) => {
  const { scene } = context, hub = await createTierHub(scene, "north", "tight");
  const ids = [await addActiveSpoke(context, hub, "a"), await addActiveSpoke(context, hub, "b")];
  const results = await settle(ids.map((id) => resize(context, id, "medium")));
  assert.equal(results.toSorted(), [
    "The tier tight allows 75Gi for the volumes of a hub's sites. They have 75Gi, and would have 120Gi",
    "done",
  ]);
  const refused = await rejection(scene.spoke(hub, "c"));
  assert.equal([refused.code, refused.message], [
    "tier_bound",
    "The tier tight allows 75Gi for the volumes of a hub's sites. They have 75Gi, and would have 90Gi",
  ]);
});

test("a hub that exceeds a new tier's bounds keeps its spokes, and their disks can stay", async (context) => {
  const { scene } = context, { app, actor } = scene, hub = await createTierHub(scene, "north", "shared");
  const ids: string[] = [];
  Object.assign(app, { catalog: loadCatalog(TIERS.replace("spokes: 2", "spokes: 4"), app.blueprint) });
  for (const slug of ["a", "b", "c", "d"]) ids.push(await addActiveSpoke(context, hub, slug));
  await updateRows(scene.db, "spokes", { size: "medium" }, { id: ids[0]! });
  await changeHub(app, actor, hub, { tier: "tiny" } as never);
  await resize(context, ids[0]!, "small");
  assert.is((await rejection(resize(context, ids[1]!, "medium"))).code, "tier_bound");
});

test.run();
