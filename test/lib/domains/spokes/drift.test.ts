import { suite } from "uvu";
import * as assert from "uvu/assert";
import { buildDrift, type DriftedObject, isCorrectable, isSameDrift } from "#lib/domains/spokes/drift.ts";
import { openScene } from "#test/support/scene.ts";
import { updateRows } from "#test/support/rows.ts";

const test = suite("createDrift");
const changed = (object: string, ...fields: string[]): DriftedObject => ({ object, what: "changed", fields });

test("is null without differences, but not if only the revision differs", () => {
  assert.is(buildDrift([], null), null);
  assert.equal(buildDrift([], { from: "a", to: "b" }), { objects: [], revision: { from: "a", to: "b" } });
});

test("sorts objects, lists each field once, and limits the number", () => {
  const drift = buildDrift([changed("Service/db", "b", "a", "a"), changed("ConfigMap/env", "x")], null)!;
  assert.equal(drift.objects, [changed("ConfigMap/env", "x"), changed("Service/db", "a", "b")]);
  const many = buildDrift([changed("ConfigMap/env", ...Array.from({ length: 900 }, (_, i) => `data.${i}`))], null)!;
  assert.is(many.objects[0]!.fields.length, 50);
});

test("can consist of add-ons alone, which no reapply corrects", () => {
  const drift = buildDrift([], null, ["mod_b", "mod_a"])!;
  assert.equal(drift, { objects: [], revision: null, addons: ["mod_a", "mod_b"] });
  assert.not(isCorrectable(drift));
  assert.ok(isCorrectable(buildDrift([changed("Service/db", "a")], null, ["mod_a"])!));
  assert.ok(isCorrectable(buildDrift([], { from: "a", to: "b" })!));
});

test("compares drift with its stored form", () => {
  const drift = buildDrift([changed("Service/db", "a")], null);
  assert.ok(isSameDrift(JSON.parse(JSON.stringify(drift)), drift));
  assert.ok(isSameDrift(null, null));
  assert.not(isSameDrift(null, drift));
});

test("is in the spoke's record", async () => {
  const scene = await openScene();
  try {
    const drift = buildDrift([changed("Service/db", "spec.selector.role")], { from: "a", to: "b" });
    await updateRows(scene.db, "spokes", { drift, health: "degraded" }, { id: scene.spoke });
    const { body } = await scene.as("spokeAdmin", "readonly").get(`/api/spokes/${scene.spoke}`);
    assert.equal([body.drift, body.health], [drift, "degraded"]);
  } finally {
    await scene.close();
  }
});

test.run();
