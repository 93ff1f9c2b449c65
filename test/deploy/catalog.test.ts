import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readFile } from "node:fs/promises";
import { loadCatalog } from "#lib/catalog/load.ts";
import { toTierInputs } from "#lib/catalog/tier.ts";
import { inputsOf, openBlueprint, podSpecs } from "#test/lib/moodle/fixtures.ts";

const FILE = new URL("../../deploy/catalog.yaml", import.meta.url);
const test = suite("deploy/catalog.yaml");

test("describes two tiers that the catalog accepts, and places only sites of one of them", async () => {
  const blueprint = openBlueprint();
  const catalog = loadCatalog(await readFile(FILE, "utf8"), blueprint);
  assert.equal(catalog.choices("tier"), ["shared", "dedicated"]);
  assert.is(toTierInputs(catalog.tierOf("shared")), undefined);
  const tier = toTierInputs(catalog.tierOf("dedicated"))!;
  const [pod] = podSpecs(blueprint.spokeObjects({ ...inputsOf(blueprint), tier }, "app"));
  for (const name of ["nodeSelector", "tolerations", "priorityClassName"]) assert.ok(name in pod!.spec, name);
});

test("lists an add-on, and does not allow others to be uploaded", async () => {
  const catalog = loadCatalog(await readFile(FILE, "utf8"), openBlueprint());
  assert.equal(catalog.addons!.map(({ component, branches }) => [component, branches]), [["mod_attendance", ["4.5"]]]);
  assert.not(catalog.webInstaller);
});

test.run();
