import { suite } from "uvu";
import * as assert from "uvu/assert";
import { patchPolicy } from "#lib/domains/policy/patch.ts";
import { rollBackPolicy } from "#lib/domains/policy/roll-back.ts";
import { previewPolicy } from "#lib/domains/policy/preview.ts";
import { showPolicy, showSpokePolicy } from "#lib/domains/policy/show.ts";
import { patchSpokePolicy } from "#lib/domains/policy/spoke.ts";
import type { PolicyPatch } from "#lib/domains/policy/views.ts";
import { resumeRollout } from "#lib/domains/rollouts/change.ts";
import { requestSpokeAction } from "#lib/domains/spokes/actions.ts";
import type { FederationRow } from "#lib/domains/federations/store.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";
import { readRolloutRow, waitForRollout } from "#test/lib/workers/rollouts/scene.ts";
import { rejection } from "#test/support/until.ts";
import { selectRows, updateRows } from "#test/support/rows.ts";

const SPOKES = 20;
const test = suite<{ scene: WorkScene; hub: FederationRow; ids: string[] }>("what a hub shares");

test.before(async (context) => {
  const scene = context.scene = await openWorkScene();
  await updateRows(scene.db, "users", { operator: true, emailVerifiedAt: new Date() }, { id: scene.actor.userId });
  context.hub = await scene.hub("north");
  context.ids = [];
  for (let i = 0; i < SPOKES; i++) context.ids.push(await scene.spoke(context.hub, `s${String(i).padStart(2, "0")}`));
  await scene.replica();
  for (const id of context.ids) await scene.becomes(id, "active");
});
test.after(({ scene }) => scene.close());

/** Returns a setting in the site's table mdl_config. */
async function configOf({ row, simulator }: WorkScene, id: string, name: string): Promise<string | undefined> {
  return simulator.site((await row(id)).namespace).database?.config?.[name];
}

async function patch({ app, actor }: WorkScene, hub: FederationRow, change: PolicyPatch) {
  return await patchPolicy(app, actor, hub, change);
}

/** Waits until the hub's newest rollout of its policy has this state. */
async function waitForPolicy(scene: WorkScene, hub: FederationRow, state: "completed" | "paused") {
  return await waitForRollout(scene, (await showPolicy(scene.db.rows, hub.id)).rollout!, state);
}

/** Makes the seed Jobs of a spoke fail. Returns a function that ends this. */
async function breakSeed(scene: WorkScene, id: string): Promise<() => void> {
  const { namespace } = await scene.row(id), { faults } = scene.simulator;
  const fault = faults.answer(403, { method: "POST", path: `/namespaces/${namespace}/jobs` });
  return () => faults.remove(fault);
}

test("previews a change without writing it, and brings it to every spoke", async ({ scene, hub, ids }) => {
  const change: PolicyPatch = { settings: { language: "de", guestAccess: false }, brand: { color: "#aa0044" } };
  const preview = await previewPolicy(scene.app, scene.actor, hub, change);
  assert.equal(preview.counts, { changes: SPOKES, later: 0, overridden: 0, excluded: 0 });
  assert.equal(preview.changes.map(({ field, from, to }) => [field, from, to]), [
    ...[["language", null, "de"], ["guestAccess", null, false], ["color", null, "#aa0044"]],
  ]);
  assert.is((await showPolicy(scene.db.rows, hub.id)).settings.version, 0);
  const shown = await patch(scene, hub, change);
  assert.is(shown.settings.version, 1);
  assert.equal(shown.spokes.settings, { in_sync: 0, behind: SPOKES, differs: 0, excluded: 0 });
  await waitForPolicy(scene, hub, "completed");
  for (const id of ids) {
    assert.is(await configOf(scene, id, "lang"), "de");
    assert.is(await configOf(scene, id, "guestloginbutton"), "0");
    assert.is(await configOf(scene, id, "brandcolor"), "#aa0044");
  }
  const after = await showPolicy(scene.db.rows, hub.id);
  assert.equal(after.spokes.settings, { in_sync: SPOKES, behind: 0, differs: 0, excluded: 0 });
  const again = await patch(scene, hub, change);
  assert.is(again.settings.version, 1, "no new version without a change");
  assert.is(again.rollout!.id, shown.rollout!.id);
  const fault = await rejection(patch(scene, hub, { settings: { language: "fr" }, ifVersion: { settings: 0 } }));
  assert.is(fault.code, "policy_changed");
});

test("pauses at a spoke that fails, goes back to the old version, and leaves no spoke behind", async ({ scene, hub, ids }) => {
  const heal = await breakSeed(scene, ids[4]!);
  await patch(scene, hub, { settings: { language: "fr" } });
  const paused = await waitForPolicy(scene, hub, "paused");
  assert.is(paused.spokes.find(({ spokeId }) => spokeId === ids[4])!.state, "failed");
  assert.is((await showSpokePolicy(scene.db.rows, ids[4]!)).settings.state, "behind");
  heal();
  const back = await rollBackPolicy(scene.app, scene.actor, hub, { section: "settings", version: 1 });
  assert.is(back.settings.version, 3);
  assert.is((await readRolloutRow(scene, paused)).state, "aborted", "the newer rollout replaces the paused one");
  await waitForPolicy(scene, hub, "completed");
  for (const id of ids) assert.is(await configOf(scene, id, "lang"), "de");
  assert.is((await showPolicy(scene.db.rows, hub.id)).spokes.settings.in_sync, SPOKES);
});

test("a newer version during a rollout wins on every spoke", async ({ scene, hub, ids }) => {
  const first = await patch(scene, hub, { settings: { language: "es" } });
  const second = await patch(scene, hub, { settings: { language: "it" } });
  assert.is.not(first.rollout!.id, second.rollout!.id);
  await waitForPolicy(scene, hub, "completed");
  await waitForRollout(scene, first.rollout!, "aborted");
  for (const id of ids) assert.is(await configOf(scene, id, "lang"), "it");
  const seeds = await selectRows(scene.db, "jobs", { kind: "configure", spokeId: ids[9]! }, { orderBy: "seq" });
  assert.ok(seeds.every(({ state }) => state === "succeeded"));
});

test("is not brought by other operations while its rollout is paused, and resumes", async ({ scene, hub, ids }) => {
  const heal = await breakSeed(scene, ids[0]!);
  const { rollout } = await patch(scene, hub, { settings: { language: "nl" } });
  await waitForPolicy(scene, hub, "paused");
  const configures = async () => (await scene.operations(ids[5]!)).filter(({ kind }) => kind === "configure").length;
  const before = await configures();
  await requestSpokeAction(scene.app, scene.actor, await scene.row(ids[5]!), { action: "restart" } as never);
  await scene.ended(ids[5]!, "restart");
  assert.is(await configures(), before);
  assert.is((await showSpokePolicy(scene.db.rows, ids[5]!)).settings.state, "behind");
  heal();
  await resumeRollout(scene.app, scene.actor, await readRolloutRow(scene, rollout!), { failed: "retry" });
  await waitForPolicy(scene, hub, "completed");
  for (const id of ids) assert.is(await configOf(scene, id, "lang"), "nl");
});

test("a suspended spoke gets the newest version when it is active again", async ({ scene, hub, ids }) => {
  const act = async (action: "suspend" | "resume") =>
    await requestSpokeAction(scene.app, scene.actor, await scene.row(ids[7]!), { action } as never);
  await act("suspend");
  await scene.becomes(ids[7]!, "suspended");
  const preview = await previewPolicy(scene.app, scene.actor, hub, { settings: { language: "pl" } });
  assert.equal([preview.counts.changes, preview.counts.later], [SPOKES - 1, 1]);
  await patch(scene, hub, { settings: { language: "pl" } });
  await waitForPolicy(scene, hub, "completed");
  assert.is((await showSpokePolicy(scene.db.rows, ids[7]!)).settings.state, "behind");
  await act("resume");
  await scene.ended(ids[7]!, "resume");
  assert.is((await scene.ended(ids[7]!, "configure")).state, "succeeded");
  assert.is(await configOf(scene, ids[7]!, "lang"), "pl");
  assert.is((await showSpokePolicy(scene.db.rows, ids[7]!)).settings.state, "in_sync");
});

test("a spoke overrides what the hub allows, and nothing else", async ({ scene, hub, ids }) => {
  const own = async (change: Parameters<typeof patchSpokePolicy>[3]) =>
    await patchSpokePolicy(scene.app, scene.actor, await scene.row(ids[1]!), change);
  const fault = await rejection(own({ settings: { language: "da" } }));
  assert.is(fault.code, "policy_fixed");
  await patch(scene, hub, { overridable: { settings: ["language"] } });
  await waitForPolicy(scene, hub, "completed");
  const changed = await own({ settings: { language: "da" } });
  assert.is(changed.settings.overriddenBy, scene.actor.email);
  await scene.ended(ids[1]!, "configure");
  assert.is(await configOf(scene, ids[1]!, "lang"), "da");
  assert.is((await showSpokePolicy(scene.db.rows, ids[1]!)).settings.state, "differs");
  await patch(scene, hub, { settings: { language: "sv" } });
  await waitForPolicy(scene, hub, "completed");
  assert.is(await configOf(scene, ids[1]!, "lang"), "da", "its own value stays");
  assert.is(await configOf(scene, ids[2]!, "lang"), "sv");
  await patch(scene, hub, { overridable: { settings: [] } });
  await waitForPolicy(scene, hub, "completed");
  assert.is(await configOf(scene, ids[1]!, "lang"), "sv", "the hub no longer allows it");
});

test("an excluded spoke keeps what it has, and a site reports what it cannot set", async ({ scene, hub, ids }) => {
  await patchSpokePolicy(scene.app, scene.actor, await scene.row(ids[3]!), { excluded: ["settings"] });
  await patch(scene, hub, { settings: { language: "xx", timeZone: "Europe/Berlin" } });
  await waitForPolicy(scene, hub, "completed");
  assert.is(await configOf(scene, ids[3]!, "timezone"), undefined);
  assert.is((await showSpokePolicy(scene.db.rows, ids[3]!)).settings.state, "excluded");
  const { settings } = await showSpokePolicy(scene.db.rows, ids[2]!);
  assert.is(settings.state, "differs");
  assert.match(settings.reasons[0]!, /cannot install the language pack xx/);
  assert.is(await configOf(scene, ids[2]!, "timezone"), "Europe/Berlin");
});

test("a setting that the hub no longer shares returns to its former value", async ({ scene, hub, ids }) => {
  await patch(scene, hub, { settings: { language: "fi", timeZone: null } });
  await waitForPolicy(scene, hub, "completed");
  assert.is(await configOf(scene, ids[2]!, "timezone"), "");
  assert.is(await configOf(scene, ids[2]!, "lang"), "fi");
});

test("a new spoke is equal to the old ones", async ({ scene, hub, ids }) => {
  const id = await scene.spoke(hub, "newest");
  await scene.becomes(id, "active");
  assert.is(await configOf(scene, id, "lang"), "fi");
  assert.is(await configOf(scene, id, "brandcolor"), "#aa0044");
  const [fresh, old] = [await scene.row(id), await scene.row(ids[2]!)];
  assert.equal(fresh.blueprintInputs.shared, old.blueprintInputs.shared);
  assert.is((await showSpokePolicy(scene.db.rows, id)).settings.state, "in_sync");
  assert.is((await scene.operations(id)).length, 1, "the installation brought everything");
});

test.run();
