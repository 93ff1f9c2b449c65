/** Tests that a shared setting which someone changed on a site is noticed, and set again. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readFile } from "node:fs/promises";
import { patchPolicy } from "#lib/domains/policy/patch.ts";
import { showPolicy, showSpokePolicy } from "#lib/domains/policy/show.ts";
import { patchSpokePolicy } from "#lib/domains/policy/spoke.ts";
import { requestSpokeAction } from "#lib/domains/spokes/actions.ts";
import { MOODLE_SETTINGS } from "#lib/moodle/shared-settings.ts";
import { waitForRollout } from "#test/lib/workers/rollouts/scene.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";
import { lookOnce } from "#test/lib/workers/sweep/checks.ts";
import { runTasks, suspendCron } from "#test/lib/workers/sweep/tasks.ts";
import { updateRows } from "#test/support/rows.ts";

const test = suite<{ scene: WorkScene; id: string; runs: number }>("a shared setting changed on the site");
test.before(async (context) => {
  const scene = context.scene = await openWorkScene();
  await updateRows(scene.db, "users", { operator: true, emailVerifiedAt: new Date() }, { id: scene.actor.userId });
  context.runs = 0;
  await scene.replica();
  const hub = await scene.hub("north");
  context.id = await scene.spoke(hub, "oak");
  await scene.becomes(context.id, "active");
  await patchPolicy(scene.app, scene.actor, hub, { settings: { language: "de", forcedLogin: true } });
  await waitForRollout(scene, (await showPolicy(scene.db.rows, hub.id)).rollout!, "completed");
});
test.after(({ scene }) => scene.close());

/** Changes the site's settings as its administrator does, and reads what the scheduled tasks report then. */
async function changeOnSite(context: { scene: WorkScene; id: string; runs: number }, config: Record<string, string>) {
  const { scene, id } = context, site = scene.simulator.site((await scene.row(id)).namespace);
  site.changeDatabase((database) => ({ ...database, config: { ...database.config, ...config } }));
  site.changeFiles(({ usage: _, ...files }) => files); // otherwise the script would not measure for 15 minutes
  await runTasks(context);
  await lookOnce(scene.app);
}

test("is shown, and set again by the next configure", async (context) => {
  const { scene, id } = context;
  await suspendCron(context);
  await changeOnSite(context, { lang: "fr" });
  const { settings } = await showSpokePolicy(scene.db.rows, id);
  assert.equal([settings.state, settings.reasons], ["differs", [
    "The value of language was changed on the site; configure the site to set it again",
  ]]);
  await requestSpokeAction(scene.app, scene.actor, await scene.row(id), { action: "configure" } as never);
  const { progress } = await scene.ended(id, "configure");
  assert.equal(progress.notes, ["The hub's value of language was set again"]);
  const { config } = scene.simulator.site((await scene.row(id)).namespace).database!;
  assert.equal([config!["lang"], config!["forcelogin"]], ["de", "1"]);
  assert.is((await showSpokePolicy(scene.db.rows, id)).settings.state, "in_sync");
});

test("stays on a site that the hub has excluded", async (context) => {
  const { scene, id } = context;
  await patchSpokePolicy(scene.app, scene.actor, await scene.row(id), { excluded: ["settings"] });
  await changeOnSite(context, { forcelogin: "0" });
  await requestSpokeAction(scene.app, scene.actor, await scene.row(id), { action: "configure" } as never);
  await scene.ended(id, "configure");
  assert.is(scene.simulator.site((await scene.row(id)).namespace).database!.config!["forcelogin"], "0");
});

test("has the name that seed.php gives it", async () => {
  const script = await readFile("lib/moodle/manifests/seed.php", "utf8");
  const list = /const SEED_SHARED_SETTINGS = \[(.*?)\];/s.exec(script)![1]!;
  const names = [...list.matchAll(/'(\w+)' => '(\w+)'/g)].map(([, field, name]) => [field, name]);
  assert.equal(Object.fromEntries(names), MOODLE_SETTINGS);
});

test.run();
