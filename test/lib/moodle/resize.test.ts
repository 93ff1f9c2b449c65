import { suite } from "uvu";
import * as assert from "uvu/assert";
import * as v from "valibot";
import { SpokeInputs } from "#lib/moodle/inputs.ts";
import {
  computeInputsDuringResize,
  computeResizedInputs,
  getLargerQuantity,
  setDiskSizes,
} from "#lib/moodle/resize.ts";
import { parseQuantity } from "#lib/drivers/cluster/diagnosis/quantity.ts";
import { find, inputsOf, openBlueprint } from "#test/lib/moodle/fixtures.ts";

const test = suite("resizedInputs");
const blueprint = openBlueprint(), { sizes } = blueprint.sizes;
const BOTH = { canGrow: { files: true, database: true } };
const NONE = { canGrow: { files: false, database: false } };

function resized(inputs: SpokeInputs, size: string, growth = BOTH): SpokeInputs {
  return computeResizedInputs(inputs, size, sizes[size]!, growth);
}

test("changes only what depends on the size", () => {
  const small = inputsOf(blueprint, { displayName: "Ä school", identity: true });
  const { size, resources, madeDatabaseDisk, ...rest } = resized(small, "large");
  assert.equal([size, resources, madeDatabaseDisk], ["large", sizes["large"], "5Gi"]);
  const { size: _, resources: __, ...before } = small;
  assert.equal(rest, before);
});

test("never shrinks a disk, and raises the quota to twice the disks", () => {
  const back = resized(resized(inputsOf(blueprint), "large"), "small");
  assert.equal(back.resources.disks, { files: "200Gi", database: "50Gi" });
  assert.equal([back.resources.quota.storage, back.resources.largest.disk], ["500Gi", "200Gi"]);
  assert.equal(back.resources.quota.limits, sizes["small"]!.quota.limits);
  assert.equal(blueprint.quotaUsage(back).problems, []);
});

test("keeps a disk that cannot grow, and enlarges the other", () => {
  const small = inputsOf(blueprint);
  assert.equal(resized(small, "large", NONE).resources.disks, small.resources.disks);
  const one = resized(small, "large", { canGrow: { files: false, database: true } });
  assert.equal(one.resources.disks, { files: "10Gi", database: "50Gi" });
});

test("keeps the database disk's size at creation", () => {
  const medium = resized(inputsOf(blueprint), "medium"), large = resized(medium, "large");
  assert.equal([medium.madeDatabaseDisk, large.madeDatabaseDisk], ["5Gi", "5Gi"]);
  assert.is(resized(inputsOf(blueprint), "small").madeDatabaseDisk, undefined);
  const set = (inputs: SpokeInputs) => find(blueprint.spokeObjects(inputs, "database"), "StatefulSet", "db")["spec"];
  assert.equal(set(large).volumeClaimTemplates, set(inputsOf(blueprint)).volumeClaimTemplates);
  assert.is.not(JSON.stringify(set(large).template), JSON.stringify(set(inputsOf(blueprint)).template));
});

test("counts the current disks, not the PVC template's", () => {
  assert.is(blueprint.quotaUsage(resized(inputsOf(blueprint), "large")).usage.storage, "500Gi");
});

test("parses stored inputs, also those of the previous release", () => {
  for (const inputs of [inputsOf(blueprint), resized(inputsOf(blueprint), "large")]) {
    assert.equal(v.parse(SpokeInputs, JSON.parse(JSON.stringify(inputs))), inputs);
  }
});

test("uses the observed disk sizes instead of the size's", () => {
  const found = setDiskSizes(inputsOf(blueprint), { files: "10Gi", database: "32Gi" });
  assert.equal(found.resources.disks, { files: "10Gi", database: "32Gi" });
  assert.equal([found.madeDatabaseDisk, found.resources.quota.storage], ["5Gi", "84Gi"]);
  assert.is(found.resources.largest.disk, "32Gi");
  assert.equal(setDiskSizes(inputsOf(blueprint), { files: "10Gi", database: "5Gi" }), inputsOf(blueprint));
});

test("sets limits that fit any combination of both sizes", () => {
  // One has a large site and a small database, the other the reverse; each fits its own quota and not both.
  const { small, large } = sizes;
  const site = inputsOf(blueprint, { resources: { ...large!, database: small!.database } });
  const base = inputsOf(blueprint, { resources: { ...small!, database: large!.database } });
  const tight = (inputs: SpokeInputs): SpokeInputs => {
    const { requests, limits, storage } = blueprint.quotaUsage(inputs).usage;
    return { ...inputs, resources: { ...inputs.resources, quota: { requests, limits, storage } } };
  };
  const room = computeInputsDuringResize(tight(site), tight(base), blueprint.quotaUsage);
  assert.equal(blueprint.quotaUsage(room).problems, []);
  const { usage: demand } = blueprint.quotaUsage({ ...site, resources: large! });
  assert.ok(parseQuantity(room.resources.quota.limits.memory) >= parseQuantity(demand.limits.memory));
  for (const one of [tight(site), tight(base)]) {
    assert.equal(getLargerQuantity(room.resources, one.resources), room.resources);
  }
});

test("compares quantities in any notation", () => {
  assert.equal([getLargerQuantity("900m", "1"), getLargerQuantity("1Gi", "1000Mi"), getLargerQuantity(8, 16)], [
    "1",
    "1Gi",
    16,
  ]);
});

test.run();
