import { suite } from "uvu";
import * as assert from "uvu/assert";
import { loadCatalog } from "#lib/catalog/load.ts";
import { toBackupWindow, toTierInputs } from "#lib/catalog/tier.ts";
import { DAY, HOUR } from "#lib/base/time.ts";
import { openBlueprint } from "#test/lib/moodle/fixtures.ts";

const blueprint = openBlueprint();
const test = suite("a tier in the catalog");
const load = (tier: string) => loadCatalog(`tiers: [{ name: dedicated, ${tier} }]`, blueprint);

test("gives sites what it says, and nothing if it says nothing", () => {
  const catalog = load(
    `nodeSelector: { example.org/pool: dedicated }, tolerations: [{ key: pool, operator: Exists }],
     priorityClass: important, sizes: [large], bounds: { spokes: 5, storage: 2Ti },
     backups: { window: { from: "23:30", to: "01:00" }, retention: { daily: 14, weekly: 0, monthly: 12 } }`,
  );
  const tier = catalog.tierOf("dedicated");
  assert.equal(toTierInputs(tier), {
    nodeSelector: { "example.org/pool": "dedicated" },
    tolerations: [{ key: "pool", operator: "Exists" }],
    priorityClass: "important",
    retention: { daily: 14, weekly: 0, monthly: 12 },
  });
  assert.equal(toBackupWindow(tier), { start: 23.5 * HOUR, end: DAY + HOUR });
  for (const name of ["other", null]) assert.is(toTierInputs(catalog.tierOf(name)), undefined);
  const empty = load("title: Shared");
  assert.equal([toTierInputs(empty.tierOf("dedicated")), toBackupWindow(empty.tierOf("dedicated"))], [undefined, null]);
});

const REFUSALS: readonly (readonly [tier: string, message: RegExp])[] = [
  ["nodeSelector: {}", /tiers\.0\.nodeSelector must be a map of 1 to 20 node labels/],
  ["nodeSelector: [a]", /tiers\.0\.nodeSelector must be a map of 1 to 20 node labels/],
  [
    "nodeSelector: { pool: true }",
    /tiers\.0\.nodeSelector\.pool must be the text of a label value; put numbers and true/,
  ],
  ["nodeSelector: { pool: 'a b' }", /tiers\.0\.nodeSelector\.pool must be the text of a label value/],
  ["nodeSelector: { 'a/b/c': x }", /tiers\.0\.nodeSelector\.a\/b\/c must be a label key/],
  ["tolerations: []", /tiers\.0\.tolerations must be a list of 1 to 20 tolerations/],
  ["tolerations: [{ key: a, operator: In }]", /tiers\.0\.tolerations\.0\.operator must be one of Equal, Exists/],
  ["tolerations: [{ key: a, effect: Never }]", /tolerations\.0\.effect must be one of NoSchedule, PreferNoSchedule/],
  ["tolerations: [{ value: a }]", /tolerations\.0 without a key needs operator: Exists/],
  [
    "tolerations: [{ key: a, operator: Exists, value: b }]",
    /tolerations\.0 with operator: Exists must not have a value/,
  ],
  ["tolerations: [{ key: a, tolerationSeconds: 5 }]", /tolerations\.0 with tolerationSeconds needs effect: NoExecute/],
  ["priorityClass: High_One", /tiers\.0\.priorityClass must be the name of a PriorityClass/],
  ["sizes: [huge]", /CATALOG: tiers: dedicated: sizes: huge is not a size of the catalog, which has small, medium/],
  ["sizes: [small, small]", /tiers\.0\.sizes must be a list of sizes without repetitions/],
  ["sizes: []", /tiers\.0\.sizes must be a list of sizes/],
  ["backups: { window: { from: 1380, to: '04:00' } }", /backups\.window\.from must be a time of day \(UTC\) in quotes/],
  [
    "backups: { window: { from: '04:00', to: '04:00' } }",
    /backups\.window must not end at the time at which it starts/,
  ],
  ["backups: { retention: { daily: 0, weekly: 1, monthly: 1 } }", /retention\.daily must be a whole number from 1/],
  ["backups: { retention: { daily: 90, weekly: 10, monthly: 1 } }", /retention must keep at most 100 backups in total/],
  ["backups: { retention: { daily: 7 } }", /backups\.retention\.weekly is missing/],
  ["bounds: { spokes: 0 }", /bounds\.spokes must be a whole number from 1/],
  ["bounds: { storage: much }", /bounds\.storage must be a quantity such as 500Gi/],
  ["bound: { spokes: 1 }", /tiers\.0\.bound is an unknown field/],
];
for (const [tier, message] of REFUSALS) {
  test(`reports the field of the error: ${tier.slice(0, 60)}`, () => {
    assert.throws(() => load(tier), (error: Error) => {
      assert.is(error.name, "ConfigError");
      assert.match(error.message, message);
      return true;
    });
  });
}

test.run();
