/** Tests the catalog's list of add-ons: what it accepts, and how the add-ons of a site are compared with it. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { describeUncheckedAddons, findUnlistedAddons, findUnsupportedAddons } from "#lib/catalog/addons.ts";
import { loadCatalog } from "#lib/catalog/load.ts";
import { openBlueprint } from "#test/lib/moodle/fixtures.ts";

const test = suite("the catalog's add-ons");
const blueprint = openBlueprint();

function entry(change: Record<string, unknown> = {}): object {
  return {
    component: "mod_attendance",
    version: 2024101100,
    release: "4.5.1",
    source: { url: "https://example.org/a.zip", sha256: "a".repeat(64) },
    branches: ["4.5"],
    ...change,
  };
}

const load = (...addons: unknown[]) => loadCatalog(JSON.stringify({ addons }), blueprint);

test("are null without a list, and may have several versions of a component", () => {
  assert.equal([loadCatalog(undefined, blueprint).addons, loadCatalog("tiers: [a]", blueprint).view.addons], [
    null,
    null,
  ]);
  assert.equal(load().addons, []);
  assert.equal(load(entry(), entry({ version: 2025 })).addons!.map(({ version }) => version), [2024101100, 2025]);
});

test("are refused with the entry and the field that is wrong", () => {
  const wrong: readonly [unknown, RegExp][] = [
    [entry({ component: "Attendance" }), /addons\.0\.component must be the component of a plugin/],
    [entry({ component: "../etc/passwd" }), /addons\.0\.component must be/],
    [entry({ version: "2024101100" }), /addons\.0\.version must be the number in version\.php/],
    [entry({ version: -1 }), /addons\.0\.version must be/],
    [entry({ branches: [4.5] }), /addons\.0\.branches\.0 must be a branch of Moodle such as 4\.5, in quotes/],
    [entry({ branches: ["4.5.12"] }), /addons\.0\.branches\.0 must be a branch/],
    [entry({ branches: [] }), /addons\.0\.branches/],
    [entry({ source: { url: "http://example.org/a.zip", sha256: "a".repeat(64) } }), /addons\.0\.source\.url/],
    [entry({ source: { url: "https://example.org/a.zip" } }), /addons\.0\.source\.sha256 is missing/],
    [entry({ source: undefined }), /addons\.0\.source is missing/],
    [entry({ colour: "red" }), /addons\.0\.colour/],
    ["mod_attendance", /addons\.0/],
  ];
  for (const [addon, message] of wrong) assert.throws(() => load(addon), message, JSON.stringify(addon));
  assert.throws(() => load(entry(), entry({ release: "other" })), /addons has a version of a component twice/);
  assert.throws(() => loadCatalog("webInstaller: 1", blueprint), /webInstaller must be true or false/);
});

test("lack components that are not listed, in any version", () => {
  const { addons } = load(entry()), installed = [{ component: "mod_attendance" }, { component: "local_own" }];
  assert.equal(findUnlistedAddons(addons, installed), ["local_own"]);
  assert.equal(findUnlistedAddons([], installed), ["mod_attendance", "local_own"]);
  assert.equal(findUnlistedAddons(null, installed), []);
});

test("support a branch with the installed version or, if it is not listed, with any version", () => {
  const { addons } = load(entry(), entry({ version: 2025, branches: ["4.5", "5.0"] }), entry({ component: "block_x" }));
  const supported = (version: number, branch: string) =>
    findUnsupportedAddons(addons, [{ component: "mod_attendance", version }], branch).length === 0;
  assert.equal(["4.5", "5.0"].map((branch) => supported(2024101100, branch)), [true, false]);
  assert.equal(["4.5", "5.0", "5.1"].map((branch) => supported(2025, branch)), [true, true, false]);
  assert.equal(["5.0", "5.1"].map((branch) => supported(7, branch)), [true, false]);
  const others = [{ component: "local_own", version: 1 }, { component: "block_x", version: 1 }];
  assert.equal(
    findUnsupportedAddons(addons, others, "5.0"),
    ["block_x"],
    "add-ons that are not listed are not refused",
  );
  assert.equal(findUnsupportedAddons(null, others, "5.0"), []);
});

test("leave unknown which unlisted and unreported add-ons work after an upgrade", () => {
  const addons = [{ component: "local_own", version: 1, enabled: true }];
  const [sentence, other] = describeUncheckedAddons([], { addons, unreported: 3 });
  assert.match(sentence!, /does not list them: local_own$/);
  assert.is(other, "The site has 3 more add-ons, which its report does not name");
  assert.equal(describeUncheckedAddons(null, { addons, unreported: 0 }).length, 1);
  assert.equal(describeUncheckedAddons(null, { addons: [], unreported: 0 }), []);
});

test.run();
