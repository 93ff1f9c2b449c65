import { suite } from "uvu";
import * as assert from "uvu/assert";
import { buildMountJob } from "#lib/moodle/mount-job.ts";
import { buildSandboxInputs } from "#lib/moodle/sandbox.ts";
import { isPlacedDifferently, retentionOf, type TierInputs, withTier } from "#lib/moodle/tier-inputs.ts";
import { allObjects, edited, find, inputsOf, openBlueprint, podSpecs } from "#test/lib/moodle/fixtures.ts";
import { createBlueprint } from "#lib/moodle/blueprint.ts";

const blueprint = openBlueprint(), plain = inputsOf(blueprint);
const test = suite("applyTier");
const tier: TierInputs = {
  nodeSelector: { pool: "dedicated" },
  tolerations: [{ key: "pool", operator: "Equal", value: "dedicated", effect: "NoSchedule" }],
  priorityClass: "important",
};
const mount = { fence: "7", disk: "files", isSiteRunning: true } as const;

test("places each pod of a site: its workloads, its scheduled tasks and all its Jobs", () => {
  const inputs = { ...plain, tier };
  const pods = podSpecs([...allObjects(blueprint, inputs), buildMountJob(inputs, mount)]);
  assert.ok(pods.length > 15, `${pods.length} pods`);
  for (const { owner, spec } of pods) {
    assert.equal(spec.nodeSelector, tier.nodeSelector, owner);
    assert.equal(spec.tolerations, tier.tolerations, owner);
    assert.is(spec.priorityClassName, "important", owner);
  }
});

test("changes nothing else, and nothing at all in a site without a tier", () => {
  const unplaced = JSON.stringify(allObjects(blueprint, plain));
  const stripped = podSpecs(allObjects(blueprint, { ...plain, tier }));
  for (const { spec } of stripped) for (const name of Object.keys(PLACEMENT)) delete spec[name];
  assert.equal(stripped, podSpecs(JSON.parse(unplaced)));
  for (const none of [undefined, {}]) {
    assert.is(JSON.stringify(allObjects(blueprint, { ...plain, ...(none && { tier: none }) })), unplaced);
  }
});
const PLACEMENT = { nodeSelector: 0, tolerations: 0, priorityClassName: 0 };

test("adds to what a manifest of an operator says", () => {
  const own = createBlueprint(
    edited(
      "app.yaml",
      "      enableServiceLinks: false\n",
      "      enableServiceLinks: false\n      nodeSelector: { arch: arm64, pool: any }\n      tolerations: [{ key: arm, operator: Exists }]\n",
    ),
  );
  const { spec } = find(own.spokeObjects({ ...plain, tier }, "app"), "Deployment", "moodle")["spec"].template;
  assert.equal(spec.nodeSelector, { arch: "arm64", pool: "dedicated" });
  assert.equal(spec.tolerations.map(({ key }: { key: string }) => key), ["arm", "pool"]);
});

test("places the temporary site of a restore test like the site itself", () => {
  const sandbox = buildSandboxInputs({ ...plain, tier }, { id: "bak_12345678", madeAfter: null }, "main");
  for (const { spec } of podSpecs(allObjects(blueprint, sandbox))) assert.equal(spec.nodeSelector, tier.nodeSelector);
});

test("leaves room for the snapshots of a longer retention", () => {
  const hardOf = (retention: TierInputs["retention"]) =>
    find(blueprint.spokeObjects({ ...plain, tier: { retention } }, "policies"), "ResourceQuota", "spoke")["spec"].hard;
  assert.is(hardOf({ daily: 30, weekly: 8, monthly: 12 })["count/volumesnapshots.snapshot.storage.k8s.io"], "106");
  assert.is(hardOf({ daily: 1, weekly: 0, monthly: 0 })["count/volumesnapshots.snapshot.storage.k8s.io"], "40");
});

test("tells a new placement from a new retention", () => {
  const retention = { daily: 1, weekly: 0, monthly: 0 };
  assert.is(isPlacedDifferently(tier, { ...tier, retention }), false);
  assert.is(isPlacedDifferently(undefined, { retention }), false);
  assert.is(isPlacedDifferently(undefined, tier), true);
  assert.is(isPlacedDifferently(tier, { ...tier, priorityClass: "other" }), true);
  assert.equal(withTier({ ...plain, tier }, undefined), plain);
  assert.equal([retentionOf({ tier: { retention } }), retentionOf(plain)], [retention, {
    ...{ daily: 7, weekly: 4, monthly: 6 },
  }]);
});

test.run();
