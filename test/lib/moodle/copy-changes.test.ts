import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import { computeCopiedSpokeChanges } from "#lib/moodle/seed.ts";

const test = suite("copyChanges");

const OCEAN = { name: "ocean", theme: null }, DEMO = { name: "demo", courses: null };
const HAD = { brand: "ocean", seed: "demo", identity: true, content: true, federationId: "fed_1" };
const SAME = { brand: OCEAN, seed: DEMO, identity: true, content: true, federationId: "fed_1" };

function news(changes: Partial<SpokeInputs>): unknown[] {
  const { inputs: { brand, seed, identity, content }, parts } = computeCopiedSpokeChanges(
    { ...SAME, ...changes } as SpokeInputs,
    HAD,
  );
  return [brand?.name ?? null, seed?.name ?? null, identity, content, parts.includes("brand")];
}

const NOTHING = [null, null, false, false, false];

test("omits settings that the original had, because users may have changed them", () => {
  assert.equal(news({}), NOTHING);
  assert.equal(computeCopiedSpokeChanges(SAME as SpokeInputs, HAD).parts, [
    "title",
    "administrator",
    "keys",
    "courses",
  ]);
});

test("applies settings that the original did not have", () => {
  assert.equal(news({ brand: { name: "forest", theme: null } }), ["forest", null, false, false, true]);
  assert.equal(news({ seed: { name: "algebra", courses: null } }), [null, "algebra", false, false, false]);
  const { inputs } = computeCopiedSpokeChanges(SAME as SpokeInputs, { ...HAD, identity: false, content: false });
  assert.equal([inputs.identity, inputs.content], [true, true]);
});

test("applies the sign-on, content and brand of another hub", () => {
  assert.equal(news({ federationId: "fed_2" }), ["ocean", null, true, true, true]);
});

test("removes no settings", () => {
  assert.equal(news({ brand: null, seed: null, identity: false, content: false, federationId: "fed_2" }), NOTHING);
});

test.run();
