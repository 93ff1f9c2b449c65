/** Tests that a change of a hub's tier reaches its sites by a rollout, and can be taken back. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { loadCatalog } from "#lib/catalog/load.ts";
import { previewSpokeAction } from "#lib/domains/spokes/action-preview.ts";
import { changeHub } from "#lib/domains/tiers/change.ts";
import { previewHub } from "#lib/domains/tiers/preview.ts";
import type { HubPatch } from "#lib/domains/tiers/views.ts";
import { markOutdatedTiers } from "#lib/domains/tiers/store.ts";
import type { FederationRow } from "#lib/domains/federations/store.ts";
import {
  listReconcileFindings,
  saveDatabase,
  writeSiteRecords,
} from "#test/lib/recovery/adoption/restored-database.ts";
import { lookOnce } from "#test/lib/workers/sweep/checks.ts";
import { waitForRollout } from "#test/lib/workers/rollouts/scene.ts";
import type { WorkScene } from "#test/lib/workers/scene.ts";
import { selectRows } from "#test/support/rows.ts";
import { addDedicatedNode, createTierHub, DEDICATED, openTierScene, readPods, rollOutTier, TIERS } from "./scene.ts";

const test = suite<{ scene: WorkScene; hub: FederationRow; ids: string[] }>("the tier of a hub");

test.before(async (context) => {
  const scene = context.scene = await openTierScene();
  context.hub = await createTierHub(scene, "north", "shared");
  context.ids = [];
  for (const slug of ["ash", "birch", "cedar"]) context.ids.push(await scene.spoke(context.hub, slug));
  await scene.replica();
  for (const id of context.ids) await scene.becomes(id, "active");
});
test.after(({ scene }) => scene.close());

const preview = async ({ app, actor }: WorkScene, hub: FederationRow, patch: Partial<HubPatch>) =>
  (await previewHub(app, actor, hub, patch as HubPatch, new AbortController().signal)).preview!;
const tierOf = async (scene: WorkScene, id: string) => (await scene.row(id)).blueprintInputs.tier;
const revisionsOf = async (scene: WorkScene, ids: readonly string[]) =>
  await Promise.all(ids.map(async (id) => (await scene.row(id)).blueprintRevision));

test("a preview says which sites move, and writes nothing", async ({ scene, hub, ids }) => {
  const expected = await preview(scene, hub, { tier: "dedicated", rollOut: true });
  assert.equal(expected.counts, { moves: 3, in_place: 0, suspended: 0, refused: 0, unchanged: 0 });
  assert.equal(expected.changes, [{ field: "tier", from: "shared", to: "dedicated" }]);
  assert.equal([expected.downtimes, expected.usualSeconds, expected.minimumSeconds], [3, null, null]);
  assert.equal(expected.spokes.map(({ slug, effect }) => `${slug} ${effect}`), [
    "ash moves",
    "birch moves",
    "cedar moves",
  ]);
  const notes = expected.notes.join("\n");
  assert.match(notes, "No node of the cluster default has the labels that the tier needs");
  assert.match(notes, /The tier keeps 3 daily, 0 weekly and 0 monthly backups instead of 7 daily/);
  assert.match(notes, /The next nightly backup deletes those that are no longer kept/);
  assert.equal(await revisionsOf(scene, ids), ids.map(() => scene.app.blueprint.revision));
});

test("a rollout pauses if the first site cannot start, and leaves the others", async ({ scene, hub, ids }) => {
  const rollout = await rollOutTier(scene, hub, "dedicated");
  const paused = await waitForRollout(scene, rollout!, "paused");
  assert.equal(paused.spokes.map(({ slug, state }) => `${slug} ${state}`), [
    "ash failed",
    "birch waiting",
    "cedar waiting",
  ]);
  assert.match(paused.spokes[0]!.reason!, /no PriorityClass with name important was found/);
  const { revision } = scene.app.blueprint;
  await scene.db.transact((tx) => markOutdatedTiers(tx, scene.app.catalog)); // a row that was locked is marked later
  assert.equal(await revisionsOf(scene, ids), [`${revision}+moving`, `${revision}+tier`, `${revision}+tier`]);
  assert.equal([await tierOf(scene, ids[0]!), await tierOf(scene, ids[1]!)], [DEDICATED, undefined]);
  await lookOnce(scene.app);
  const { drift } = await scene.row(ids[1]!);
  assert.equal(drift, { objects: [], revision: { from: `${revision}+tier`, to: revision } }, "it counts as outdated");
});

test("setting the old tier rolls back the site that failed", async ({ scene, hub, ids }) => {
  const rollout = await rollOutTier(scene, hub, "shared");
  const done = await waitForRollout(scene, rollout!, "completed");
  assert.equal(done.spokes.map(({ slug, state }) => `${slug} ${state}`), ["ash succeeded"]);
  assert.equal(await revisionsOf(scene, ids), ids.map(() => scene.app.blueprint.revision));
  for (const spec of await readPods(scene, ids[0]!)) assert.is(spec.nodeSelector, undefined);
  assert.is(await tierOf(scene, ids[0]!), undefined);
});

test("the pods of all sites move once the cluster has the nodes", async ({ scene, hub, ids }) => {
  await addDedicatedNode(scene);
  const signal = new AbortController().signal;
  await changeHub(scene.app, scene.actor, hub, { tier: "dedicated" } as never);
  const reapply = await previewSpokeAction(
    scene.app,
    scene.actor,
    await scene.row(ids[0]!),
    { action: "reapply" },
    signal,
  );
  assert.is(reapply.downtime, true);
  assert.ok(
    reapply.changes.some(({ field }) => field.startsWith("spec.template.spec.nodeSelector")),
    "shows the fields",
  );
  const rollout = await rollOutTier(scene, hub, "dedicated");
  const done = await waitForRollout(scene, rollout!, "completed");
  assert.equal(done.spokes.map(({ state, wave }) => `${state} ${wave}`), ["succeeded 0", "succeeded 1", "succeeded 2"]);
  const added = await scene.spoke(hub, "elm");
  await scene.becomes(added, "active");
  for (const id of [...ids, added]) {
    assert.equal(await tierOf(scene, id), DEDICATED);
    const pods = await readPods(scene, id);
    assert.ok(pods.length >= 5, `${pods.length} pods and templates`);
    for (const spec of pods) {
      assert.equal([spec.nodeSelector, spec.priorityClassName], [DEDICATED.nodeSelector, "important"]);
      assert.ok(spec.tolerations.some(({ key }: { key: string }) => key === "pool"));
    }
    await lookOnce(scene.app);
    const row = await scene.row(id);
    assert.equal([row.state, row.drift, row.blueprintRevision], ["active", null, scene.app.blueprint.revision]);
  }
  const again = await preview(scene, hub, { rollOut: true });
  assert.equal([again.counts.unchanged, again.downtimes], [4, 0]);
  const known = await preview(scene, hub, { tier: "shared" });
  assert.ok(known.usualSeconds! > 0 && known.minimumSeconds! > known.usualSeconds!, "the downtime is known now");
});

test("a tier that the catalog describes in another way makes its sites outdated", async ({ scene, hub, ids }) => {
  const { app, db } = scene, catalog = loadCatalog(TIERS.replace("daily: 3", "daily: 5"), app.blueprint);
  const mark = (which: typeof catalog) => db.transact((tx) => markOutdatedTiers(tx, which));
  assert.is(await mark(app.catalog), 0);
  assert.is(await mark(catalog), 4);
  assert.is(await mark(catalog), 0);
  assert.is(await mark(app.catalog), 4, "the marks are removed with the change");
  assert.is(await mark(catalog), 4);
  assert.ok((await revisionsOf(scene, ids)).every((revision) => revision.endsWith("+tier")));
  const old = app.catalog;
  Object.assign(app, { catalog });
  const { counts, downtimes } = await preview(scene, hub, { rollOut: true });
  assert.equal([counts.in_place, downtimes], [4, 0], "more backups need no downtime");
  await changeHub(app, scene.actor, hub, { rollOut: true } as never);
  const [rollout] = await selectRows(db, "rollouts", {}, { orderBy: "createdAt" }).then((all) => all.slice(-1));
  assert.ok(rollout);
  Object.assign(app, { catalog: old });
});

test("survives the loss of the database", async () => {
  const scene = await openTierScene();
  try {
    let replica = await scene.replica();
    const hub = await createTierHub(scene, "north", "shared"), ash = await scene.spoke(hub, "ash");
    await scene.becomes(ash, "active");
    await addDedicatedNode(scene);
    await replica.close();
    const goBack = await saveDatabase(scene.db);
    replica = await scene.replica();
    const west = await createTierHub(scene, "west", "dedicated"), oak = await scene.spoke(west, "oak");
    await scene.becomes(oak, "active");
    await waitForRollout(scene, (await rollOutTier(scene, hub, "dedicated"))!, "completed");
    await replica.close();
    await writeSiteRecords(scene.app);
    const read = async (id: string) => {
      const { blueprintInputs, blueprintRevision } = await scene.row(id);
      return { blueprintInputs, blueprintRevision };
    };
    const before = [await read(ash), await read(oak)];
    assert.equal([before[0]!.blueprintInputs.tier, before[1]!.blueprintInputs.tier], [DEDICATED, DEDICATED]);
    await goBack();
    assert.is(await tierOf(scene, ash), undefined, "the backup is from before");
    await listReconcileFindings(scene.app, { apply: true });
    assert.equal([await read(ash), await read(oak)], before);
    const hubs = await selectRows(scene.db, "federations", {}, { orderBy: "slug" });
    assert.equal(hubs.map(({ slug, tier }) => `${slug} ${tier}`), ["north dedicated", "west dedicated"]);
    assert.is(await scene.db.transact((tx) => markOutdatedTiers(tx, scene.app.catalog)), 0);
    await scene.replica();
    const added = await scene.spoke(hubs[1] as FederationRow, "elm");
    await scene.becomes(added, "active");
    assert.equal(await tierOf(scene, added), DEDICATED);
  } finally {
    await scene.close();
  }
});

test.run();
