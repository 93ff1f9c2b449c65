/** Tests that the filter returns the same as the schema. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import * as v from "valibot";
import { NullableTimestamp, Slug, Timestamp } from "#lib/base/schema.ts";
import { compileOutputFilter, FILTER_MISMATCH } from "#lib/http/output-filter.ts";

const test = suite("compileOutputFilter");

const Thing = v.object({
  id: v.string(),
  size: v.number(),
  good: v.boolean(),
  kind: v.picklist(["one", "two"]),
  at: Timestamp,
  ended: NullableTimestamp,
  slug: Slug,
  note: v.optional(v.string()),
  parts: v.array(v.object({ name: v.string() })),
  more: v.record(v.string(), v.unknown()),
  either: v.union([v.string(), v.number()]),
});
const thing = {
  id: "a",
  size: 1,
  good: true,
  kind: "one",
  at: new Date("2026-11-23T01:02:03.004Z"),
  ended: null,
  slug: "a-slug",
  parts: [{ name: "first", secret: "hidden" }],
  more: { any: [1] },
  either: 2,
  secret: "hidden",
};

test("removes undeclared fields at any depth, and matches the schema's output", () => {
  const picked = compileOutputFilter(Thing)(thing);
  assert.equal(picked, v.parse(Thing, thing));
  assert.not.match(JSON.stringify(picked), "secret");
});

for (
  const [what, changed] of [
    ["text where a number belongs", { size: "1" }],
    ["no number", { size: NaN }],
    ["a number where text belongs", { id: 1 }],
    ["an unknown choice", { kind: "three" }],
    ["null where nothing may be", { id: null }],
    ["a field that is absent", { id: undefined }],
    ["a value instead of a list", { parts: {} }],
    ["an item that does not fit", { parts: [{ name: 1 }] }],
    ["text that breaks a rule", { slug: "No Slug" }],
    ["no object", null],
  ] as const
) {
  test(`falls back to the schema for ${what}`, () => {
    const value = changed === null ? "text" : { ...thing, ...changed };
    assert.is(compileOutputFilter(Thing)(value), FILTER_MISMATCH);
    assert.not.ok(v.is(Thing, value));
  });
}

test("keeps the order of the fields, with optional ones in their place", () => {
  const schema = v.object({ a: v.string(), b: v.optional(v.string()), c: v.string() }),
    filter = compileOutputFilter(schema);
  assert.is(JSON.stringify(filter({ c: "3", b: "2", a: "1" })), `{"a":"1","b":"2","c":"3"}`);
  assert.is(JSON.stringify(filter({ c: "3", a: "1" })), `{"a":"1","c":"3"}`);
});

test("leaves objects with names that the schema removes to the schema", () => {
  const filter = compileOutputFilter(v.record(v.string(), v.unknown()));
  assert.equal(filter({ any: [1] }), { any: [1] });
  for (const value of [JSON.parse(`{"__proto__": 1}`), { constructor: 1 }, [], null, "text"]) {
    assert.is(filter(value), FILTER_MISMATCH);
  }
});

test("uses the schema's default for an absent field", () => {
  const schema = v.object({ note: v.optional(v.string(), "none") });
  assert.is(compileOutputFilter(schema)({}), FILTER_MISMATCH);
  assert.equal(compileOutputFilter(v.object({ note: v.optional(v.string()) }))({}), {});
});

test.run();
