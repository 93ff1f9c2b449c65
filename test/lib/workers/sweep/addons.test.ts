/** Tests how the sweep reads the add-ons that sites report, and compares them with the catalog. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { loadCatalog } from "#lib/catalog/load.ts";
import { updateAddons } from "#lib/domains/spokes/addons.ts";
import { selectRows, updateRows } from "#test/support/rows.ts";
import { lookOnce } from "./checks.ts";
import { buildUsageLine, currentSecond, openTaskSite, runTasks, type TaskSite, usageOf } from "./tasks.ts";

const GIB = 2 ** 30;

const test = suite<TaskSite>("the add-ons of a site");
test.before(async (context) => void Object.assign(context, await openTaskSite()));
test.after(({ scene }) => scene.close());

test("stores the add-ons that the site lists, and changes only those that differ", async (context) => {
  const { scene, id } = context, at = currentSecond();
  const report = async (addonsAt: number, ...addons: unknown[]) => {
    await runTasks(context, () => buildUsageLine(0, GIB, { addons, addonCount: addons.length, addonsAt }));
    await lookOnce(scene.app);
    const rows = await selectRows(scene.db, "spoke_addons", { spokeId: id });
    return rows.map(({ component, version, enabled }) => `${component} ${version}${enabled ? "" : " off"}`).sort();
  };
  assert.equal(await report(at, "mod_one 1", "block_two 2.05 off"), ["block_two 2.05 off", "mod_one 1"]);
  assert.equal((await usageOf(context)).addonCount, 2);
  assert.equal(await report(at, "mod_other 3"), ["block_two 2.05 off", "mod_one 1"], "the same list again");
  const nonsense = [7, null, "<b>bad</b> 3", "mod_x", "mod_x -1", `mod_${"x".repeat(100)} 1`, "Mod_X 1", "mod_one 9\n"];
  assert.equal(await report(at + 1, "mod_one 4", "theme_three 3", ...nonsense), ["mod_one 4", "theme_three 3"]);
  assert.equal(await report(at + 10_000, "mod_one 5"), ["mod_one 5"]);
  assert.equal(await report(currentSecond() + 2, "mod_one 6"), ["mod_one 6"], "a time in the future hides nothing");
  assert.equal(await report(currentSecond() + 4), []);
});

test("shows add-ons as drift that the catalog does not list", async (context) => {
  const { scene, id } = context,
    { catalog, blueprint } = scene.app,
    drift = async () => (await scene.row(id)).drift?.addons;
  await runTasks(
    context,
    () => buildUsageLine(0, GIB, { addons: ["mod_b 1", "mod_a 2"], addonCount: 2, addonsAt: currentSecond() }),
  );
  await lookOnce(scene.app);
  assert.is(await drift(), undefined);
  Object.assign(scene.app, { catalog: loadCatalog("addons: []", blueprint) });
  await lookOnce(scene.app);
  assert.equal(await drift(), ["mod_a", "mod_b"]);
  Object.assign(scene.app, { catalog });
  await lookOnce(scene.app);
  assert.is(await drift(), undefined);
});

test("ignores a list that the site made before Wheelwright changed its add-ons", async (context) => {
  const { scene, id } = context, source = { url: "https://school.example/new.zip", sha256: "0".repeat(64) };
  await updateRows(scene.db, "spoke_usage", { addonsAt: new Date(0) }, { spokeId: id });
  await scene.db.transact((tx) => updateAddons(tx, id, [{ component: "mod_new", version: 7, source }], []));
  const made = currentSecond() - 5;
  await runTasks(context, () => buildUsageLine(0, GIB, { addons: ["mod_b 1"], addonCount: 1, addonsAt: made }));
  await lookOnce(scene.app);
  const rows = await selectRows(scene.db, "spoke_addons", { spokeId: id, component: "mod_new" });
  assert.is(rows.length, 1);
});

test.run();
