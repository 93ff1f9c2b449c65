/** Tests that the add-ons of a hub are installed, upgraded and removed on its sites. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { loadCatalog } from "#lib/catalog/load.ts";
import type { FederationRow } from "#lib/domains/federations/store.ts";
import { patchPolicy } from "#lib/domains/policy/patch.ts";
import { previewPolicy } from "#lib/domains/policy/preview.ts";
import { showPolicy, showSpokePolicy } from "#lib/domains/policy/show.ts";
import { patchSpokePolicy } from "#lib/domains/policy/spoke.ts";
import { requestSpokeAction } from "#lib/domains/spokes/actions.ts";
import type { PolicyPatch } from "#lib/domains/policy/views.ts";
import { waitForRollout } from "#test/lib/workers/rollouts/scene.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";
import { selectRows, updateRows } from "#test/support/rows.ts";
import { rejection, until } from "#test/support/until.ts";

const OLD = 2024100100, NEW = 2025020200;
const SPOKES = ["ash", "birch", "cedar", "elm"] as const;
const test = suite<{ scene: WorkScene; hub: FederationRow; ids: string[] }>("the add-ons of a hub");

test.before(async (context) => {
  const scene = context.scene = await openWorkScene();
  await updateRows(scene.db, "users", { operator: true, emailVerifiedAt: new Date() }, { id: scene.actor.userId });
  context.hub = await scene.hub("north");
  context.ids = [];
  for (const slug of SPOKES) context.ids.push(await scene.spoke(context.hub, slug));
  Object.assign(scene.app, { catalog: { ...scene.app.catalog } }); // a copy that tests can change
  await scene.replica();
  for (const id of context.ids) await scene.becomes(id, "active");
});
test.after(({ scene }) => scene.close());

interface Listed {
  readonly name: string;
  readonly version?: number;
  readonly file?: string;
  readonly branches?: readonly string[];
}

/** Replaces the catalog's list of add-ons. */
function list(scene: WorkScene, ...addons: readonly Listed[]): void {
  const entries = addons.map(({ name, version = OLD, file = name, branches = ["4.5"] }) => ({
    ...{ component: name, version, release: String(version), branches },
    source: { url: `https://addons.example/${file}.zip`, sha256: "a".repeat(64) },
  }));
  const { addons: listed } = loadCatalog(JSON.stringify({ addons: entries }), scene.app.blueprint);
  Object.assign(scene.app.catalog, { addons: listed }); // replicas share this object
}

const patch = async ({ app, actor }: WorkScene, hub: FederationRow, change: PolicyPatch) =>
  await patchPolicy(app, actor, hub, change);

async function share(scene: WorkScene, hub: FederationRow, ...components: string[]) {
  return await patch(scene, hub, { addons: { components: components.length === 0 ? null : components } });
}

async function waitForPolicy(scene: WorkScene, hub: FederationRow, state: "completed" | "paused") {
  return await waitForRollout(scene, (await showPolicy(scene.db.rows, hub.id)).rollout!, state);
}

async function siteOf({ row, simulator }: WorkScene, id: string) {
  return simulator.site((await row(id)).namespace);
}
const addonsOf = async (scene: WorkScene, id: string) => (await siteOf(scene, id)).files.addons ?? [];

async function configure(scene: WorkScene, id: string): Promise<void> {
  await requestSpokeAction(scene.app, scene.actor, await scene.row(id), { action: "configure" });
}

test("needs a list in the catalog, and every component in it", async ({ scene, hub }) => {
  const refused = await rejection(share(scene, hub, "mod_attendance"));
  assert.is(refused.code, "not_offered");
  assert.match(refused.message, "need a list of add-ons in the catalog");
  list(scene, { name: "mod_attendance" });
  assert.match((await rejection(share(scene, hub, "mod_other"))).message, "are not in the catalog: mod_other");
});

test("previews add-ons for each site, and installs them on all after a backup", async ({ scene, hub, ids }) => {
  list(scene, { name: "mod_attendance" }, { name: "theme_future", branches: ["5.2"] });
  const change = { addons: { components: ["mod_attendance", "theme_future"] } };
  const preview = await previewPolicy(scene.app, scene.actor, hub, change);
  assert.is(preview.downtime, true);
  assert.is(
    preview.spokes[0]!.reason,
    "Installs mod_attendance. theme_future: the catalog lists no version for the site's Moodle",
  );
  await patch(scene, hub, change);
  await waitForPolicy(scene, hub, "completed");
  for (const id of ids) {
    assert.equal(await addonsOf(scene, id), [`mod_attendance ${OLD}`]);
    assert.is((await siteOf(scene, id)).files.maintenance, undefined);
    assert.is((await selectRows(scene.db, "backups", { spokeId: id, kind: "upgrade", state: "ready" })).length, 1);
    const { addons } = await showSpokePolicy(scene.db.rows, id);
    assert.equal([addons.state, addons.reasons], [
      "differs",
      ["theme_future: the catalog lists no version for the site's Moodle"],
    ]);
  }
});

test("causes no downtime and no backup if only other settings change", async ({ scene, hub, ids }) => {
  list(scene, { name: "mod_attendance" });
  await share(scene, hub, "mod_attendance");
  await waitForPolicy(scene, hub, "completed");
  const change = { settings: { language: "de" } };
  assert.is((await previewPolicy(scene.app, scene.actor, hub, change)).downtime, false);
  await patch(scene, hub, change);
  await waitForPolicy(scene, hub, "completed");
  assert.is((await selectRows(scene.db, "backups", { spokeId: ids[0]!, kind: "upgrade" })).length, 1);
  assert.is((await showPolicy(scene.db.rows, hub.id)).spokes.addons.in_sync, SPOKES.length);
});

test("upgrades to a newer version, adds those of a spoke, and keeps those that somebody else has installed", async (context) => {
  const { scene, hub, ids } = context;
  const { namespace } = await scene.row(ids[1]!);
  scene.simulator.site(namespace).changeFiles((files) => ({
    ...files,
    addons: [...files.addons!, `local_own ${NEW}`],
  }));
  list(scene, { name: "mod_attendance", version: NEW }, { name: "mod_attendance" }, { name: "block_extra" });
  const own = async () =>
    await patchSpokePolicy(scene.app, scene.actor, await scene.row(ids[1]!), {
      addons: { components: ["block_extra"] },
    });
  assert.is((await rejection(own())).code, "policy_fixed");
  await patch(scene, hub, { overridable: { addons: ["components"] } });
  await waitForPolicy(scene, hub, "completed");
  assert.equal(await addonsOf(scene, ids[0]!), [`mod_attendance ${NEW}`]);
  await own();
  assert.is((await scene.ended(ids[1]!, "configure")).state, "succeeded");
  assert.equal(await addonsOf(scene, ids[1]!), [`block_extra ${OLD}`, `local_own ${NEW}`, `mod_attendance ${NEW}`]);
  await share(scene, hub);
  await waitForPolicy(scene, hub, "completed");
  assert.equal(await addonsOf(scene, ids[0]!), []);
  assert.equal(await addonsOf(scene, ids[1]!), [`block_extra ${OLD}`, `local_own ${NEW}`]);
});

for (
  const [file, words] of [
    ["syntax-error", /PHP Parse error.*The site was not changed/],
    ["needs-another", /it needs mod_other.*The site was not changed/],
    ["wrong-branch", /it requires Moodle.*The site was not changed/],
    ["other-hash", /another SHA-256.*The site was not changed/],
    ["upgrade-fails", /already exists.*The site is as it was before/],
  ] as const
) {
  test(`leaves the sites as they were if an add-on is broken: ${file}`, async ({ scene, hub, ids }) => {
    const before = await addonsOf(scene, ids[0]!);
    list(scene, { name: "mod_broken", file });
    await share(scene, hub, "mod_broken");
    await waitForPolicy(scene, hub, "paused");
    const { state, stateReason, health } = await scene.row(ids[0]!);
    assert.equal([state, health], ["active", "healthy"]);
    assert.match(stateReason!, words);
    const { files } = await siteOf(scene, ids[0]!);
    assert.equal([files.addons, files.maintenance], [before, undefined]);
    assert.is((await showSpokePolicy(scene.db.rows, ids[0]!)).addons.state, "behind");
    const { namespace } = await scene.row(ids[0]!);
    const cron = scene.simulator.objects("CronJob").find(({ metadata }) => metadata.namespace === namespace)!;
    assert.is(cron.spec.suspend ?? false, false);
    await share(scene, hub);
    await waitForPolicy(scene, hub, "completed");
  });
}

test("reports a partly upgraded site with its backup, and continues when it is configured again", async (context) => {
  const { scene, hub, ids } = context, id = ids[0]!;
  list(scene, { name: "mod_broken" });
  await share(scene, hub, "mod_broken");
  await waitForPolicy(scene, hub, "completed");
  list(scene, { name: "mod_broken", version: NEW, file: "upgrade-breaks" });
  await configure(scene, id);
  const failed = await scene.ended(id, "configure"), row = await scene.row(id);
  assert.equal([failed.failure?.code, row.state, row.health], ["AddonPartlyUpgraded", "active", "degraded"]);
  const [backup] = await selectRows(scene.db, "backups", { operationId: failed.id });
  assert.match(failed.failure!.hint!, `restore the backup ${backup!.id}`);
  assert.is((await siteOf(scene, id)).files.maintenance, true);
  list(scene, { name: "mod_broken", version: NEW });
  await configure(scene, id);
  const mended = await scene.ended(id, "configure");
  assert.match(mended.progress.notes!.join("\n"), "No new backup was taken");
  assert.equal([mended.state, (await scene.row(id)).health], ["succeeded", "healthy"]);
  const { files } = await siteOf(scene, id);
  assert.equal([files.addons, files.maintenance], [[`mod_broken ${NEW}`], undefined]);
});

test("puts back what a site has lost, and keeps a module that activities use", async ({ scene, hub, ids }) => {
  const id = ids[0]!, { namespace } = await scene.row(id);
  scene.simulator.site(namespace).changeFiles(({ addons: _, ...files }) => files);
  await scene.db.sql(
    `insert into spoke_usage (spoke_id, observed_at, addons_at, addon_count) values ($1, now(), now(), 0)
    on conflict (spoke_id) do update set addons_at = now(), addon_count = 0`,
    [id],
  );
  await scene.db.sql("delete from spoke_addons");
  assert.equal((await showSpokePolicy(scene.db.rows, id)).addons.reasons, [
    "The site has lost mod_broken; configure the site to install it again",
  ]);
  await configure(scene, id);
  await scene.ended(id, "configure");
  assert.equal(await addonsOf(scene, id), [`mod_broken ${NEW}`]);
  assert.is((await showSpokePolicy(scene.db.rows, id)).addons.state, "in_sync");
  scene.simulator.site(namespace).changeDatabase((database) => ({ ...database, usedAddons: ["mod_broken"] }));
  await share(scene, hub);
  await waitForPolicy(scene, hub, "completed");
  assert.equal(await addonsOf(scene, id), [`mod_broken ${NEW}`]);
  assert.equal((await showSpokePolicy(scene.db.rows, id)).addons.reasons, [
    "mod_broken is not removed, because 2 activities use it",
  ]);
});

test("starts a killed Job again, which ends maintenance mode", async ({ scene, hub, ids }) => {
  const id = ids[2]!, { namespace } = await scene.row(id), { faults } = scene.simulator;
  list(scene, { name: "block_calm" });
  const fault = faults.add({ type: "failing-job", name: `${namespace}/addons-apply-`, exitCode: 137, log: [] });
  await share(scene, hub, "block_calm");
  await until(async () => ((await scene.operations(id))[0]!.progress as { killed?: number }).killed === 1);
  // A killed script leaves this behind.
  scene.simulator.site(namespace).changeFiles((files) => ({ ...files, maintenance: true, isChangingAddons: true }));
  faults.remove(fault);
  await waitForPolicy(scene, hub, "completed");
  const { files } = await siteOf(scene, id);
  assert.equal([files.addons, files.maintenance], [[`block_calm ${OLD}`], undefined]);
});

test("installs the add-ons on a new spoke after its installation", async ({ scene, hub }) => {
  const id = await scene.spoke(hub, "fir");
  await scene.becomes(id, "active");
  assert.is((await scene.ended(id, "configure")).state, "succeeded");
  assert.equal(await addonsOf(scene, id), [`block_calm ${OLD}`]);
  assert.is((await showSpokePolicy(scene.db.rows, id)).addons.state, "in_sync");
});

test("checks the add-ons again after an upgrade, because the image may have lost some", async ({ scene, ids }) => {
  const id = ids[3]!, { namespace } = await scene.row(id);
  list(scene, { name: "block_calm", branches: ["4.5", "5.2"] });
  const before = (await scene.operations(id)).filter(({ kind }) => kind === "configure").length;
  await requestSpokeAction(scene.app, scene.actor, await scene.row(id), { action: "upgrade", lmsVersion: "5.2.2" });
  scene.simulator.site(namespace).changeFiles(({ addons: _, ...files }) => files);
  assert.is((await scene.ended(id, "upgrade")).state, "succeeded");
  assert.is((await scene.ended(id, "configure")).state, "succeeded");
  assert.is((await scene.operations(id)).filter(({ kind }) => kind === "configure").length, before + 1);
  assert.equal(await addonsOf(scene, id), [`block_calm ${OLD}`]);
});

test.run();
