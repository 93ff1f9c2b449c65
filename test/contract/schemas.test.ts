/** Tests changes of schemas that the current document does not use, but a later one may. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { compareDocuments, documentOf, type Json } from "#test/support/contract.ts";

const test = suite("compareSchemas");

const TEXT = { type: "string" }, NUMBER = { type: "number" };

/** Returns the findings when a schema changes, in a request and in a response. */
function between(
  once: Json,
  then: Json,
  was: Json = {},
  is: Json = was,
): { readonly sent: Json; readonly answered: Json } {
  const findings = (before: Json, after: Json) =>
    compareDocuments(before, after).map(({ kind, where }) =>
      `${kind} ${where.replace(/^the body:? ?|^answer 200:? ?/, "")}`
    );
  return {
    sent: findings(documentOf(once, {}, was), documentOf(then, {}, is)),
    answered: findings(documentOf({}, once, was), documentOf({}, then, is)),
  };
}

const object = (properties: Json, more: Json = {}) => ({ type: "object", properties, ...more });

test("compares a schema of requests and responses in both directions", () => {
  const once = object({ size: { type: "string", maxLength: 10 } }),
    then = object({ size: { type: "string", maxLength: 20 } });
  assert.equal(between(once, then), { sent: [], answered: ["type_changed size"] });
  assert.equal(between(then, once), { sent: ["validation_tightened size"], answered: [] });
  const shared = (schema: Json) =>
    documentOf({ $ref: "#/components/schemas/A" }, { $ref: "#/components/schemas/A" }, { A: schema });
  const findings = (one: Json, other: Json) => compareDocuments(shared(one), shared(other)).map(({ where }) => where);
  assert.equal([findings(once, then), findings(then, once)], [["answer 200: size"], ["the body: size"]]);
});

test("stops at recursive schemas", () => {
  const node = (leaf: Json) =>
    object({
      leaf,
      next: { $ref: "#/components/schemas/Node" },
      all: { type: "array", items: { $ref: "#/components/schemas/Node" } },
    });
  const ref = { $ref: "#/components/schemas/Node" };
  assert.equal(between(ref, ref, { Node: node(TEXT) }), { sent: [], answered: [] });
  assert.equal(between(ref, ref, { Node: node(TEXT) }, { Node: node(NUMBER) }), {
    sent: ["type_changed leaf"],
    answered: ["type_changed leaf"],
  });
  // The same schema, but one side writes out the second level of the recursion.
  const unrolled = object({ ...node(TEXT).properties, next: node(TEXT) });
  assert.equal(between(ref, ref, { Node: node(TEXT) }, { Node: unrolled }), { sent: [], answered: [] });
  const circle = { anyOf: [{ $ref: "#/components/schemas/Node" }, TEXT] };
  assert.equal(between(ref, ref, { Node: circle }, { Node: TEXT }), { sent: [], answered: [] });
  assert.equal(between(ref, ref, { Node: TEXT }, { Node: circle }), { sent: [], answered: [] });
});

test("finds changes behind nested references", () => {
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const chain = (leaf: Json) => ({ A: object({ b: ref("B") }), B: object({ c: ref("C") }), C: object({ leaf }) });
  assert.equal(between(ref("A"), ref("A"), chain(TEXT), chain(NUMBER)), {
    sent: ["type_changed b.c.leaf"],
    answered: ["type_changed b.c.leaf"],
  });
});

test("compares each option with the most similar one", () => {
  const cat = object({ kind: { const: "cat" }, lives: NUMBER }), dog = object({ kind: { const: "dog" }, tricks: TEXT });
  const worse = object({ kind: { const: "dog" }, tricks: NUMBER });
  assert.equal(between({ oneOf: [cat, dog] }, { oneOf: [dog, cat] }), { sent: [], answered: [] });
  assert.equal(between({ oneOf: [cat, dog] }, { oneOf: [cat, worse] }), {
    sent: ["type_changed tricks"],
    answered: ["type_changed tricks"],
  });
  assert.equal(between({ oneOf: [cat, dog] }, cat).answered, ["response_field_removed "]);
  assert.is(between({ oneOf: [cat, dog] }, cat).sent.length, 2);
  assert.equal(between(cat, { oneOf: [cat, dog] }).sent, []);
  const named = (name: Json) => ({ oneOf: [cat, dog].map((one) => object({ ...one.properties, name })) });
  assert.equal(between(named(TEXT), named(NUMBER)), { sent: ["type_changed name"], answered: ["type_changed name"] });
});

test("compares types, including null", () => {
  const maybe = { type: ["string", "null"] };
  assert.equal(between(maybe, { anyOf: [TEXT, { type: "null" }] }), { sent: [], answered: [] });
  assert.equal(between(maybe, TEXT), { sent: ["validation_tightened "], answered: [] });
  assert.equal(between(TEXT, maybe), { sent: [], answered: ["type_changed "] });
  assert.equal(between(maybe, { type: "null" }).answered, ["type_changed "]);
  assert.equal(between(NUMBER, { type: "integer" }), { sent: ["type_changed "], answered: [] });
  assert.equal(between({ type: "integer" }, NUMBER), { sent: [], answered: ["type_changed "] });
  assert.equal(between(TEXT, {}), { sent: [], answered: ["type_changed "] });
  assert.equal(between(object({ a: TEXT }), {}), { sent: [], answered: ["type_changed "] });
  assert.equal(between({}, TEXT), { sent: ["type_changed "], answered: [] });
  assert.equal(between({ enum: ["a", null, 1] }, { enum: [null, "a", 1] }), { sent: [], answered: [] });
  assert.equal(between({ enum: ["a", null] }, { enum: ["a"] }), { sent: ["validation_tightened "], answered: [] });
});

test("compares the bounds of numbers", () => {
  const from = (once: Json, then: Json) =>
    between({ type: "integer", ...once }, { type: "integer", ...then }).sent.length;
  assert.is(from({ maximum: 9 }, { maximum: 10 }), 0);
  assert.is(from({ maximum: 9 }, { maximum: 8 }), 1);
  assert.is(from({}, { minimum: 0 }), 1);
  assert.is(from({ minimum: 0 }, {}), 0);
});

test("compares the items of lists", () => {
  const list = (items: Json, more: Json = {}) => ({ type: "array", items, ...more });
  const both = (where: string) => ({ sent: [where], answered: [where] });
  assert.equal(between(list(TEXT), list(NUMBER)), both("type_changed []"));
  assert.equal(
    between(list(list(object({ a: TEXT }))), list(list(object({ a: NUMBER })))),
    both("type_changed [][].a"),
  );
  assert.equal(between({ type: "array" }, list(TEXT)), { sent: ["type_changed []"], answered: [] });
});

test("pairs a new field with a removed one only if their types match", () => {
  assert.equal(between(object({ a: TEXT }), object({ b: TEXT })).answered, ["field_renamed a"]);
  assert.equal(between(object({ a: TEXT }), object({ b: NUMBER })).answered, ["response_field_removed a"]);
  assert.equal(between(object({ a: {} }), object({ b: TEXT })).answered, ["response_field_removed a"]);
});

test("compares the values of maps", () => {
  const map = (additionalProperties: Json) => ({ type: "object", additionalProperties });
  assert.equal(between(map(TEXT), map(NUMBER)), { sent: ["type_changed {*}"], answered: ["type_changed {*}"] });
  assert.equal(between(map(TEXT), map(false)), {
    sent: ["validation_tightened "],
    answered: ["response_field_removed "],
  });
  assert.equal(between(map(TEXT), object({})), { sent: [], answered: ["response_field_removed "] });
  assert.equal(between(map(false), map(TEXT)), { sent: [], answered: [] });
  assert.equal(between(map(false), { ...map(false), title: "x" }), { sent: [], answered: [] });
});

test("reads only bounds from the words of a rule", () => {
  const say = (once: string, then: string) => between({ ...TEXT, description: once }, { ...TEXT, description: then });
  const tighter = { sent: ["validation_tightened "], answered: [] }, same = { sent: [], answered: [] };
  assert.equal(
    say("Its name; must be text of 1 to 100 characters", "The name; must be text of 1 to 99 characters"),
    tighter,
  );
  assert.equal(say("must be text of 1 to 100 characters", "must be text of 2 to 100 characters"), tighter);
  assert.equal(say("must be at most 4096 characters", "must be at most 100 characters"), tighter);
  assert.equal(say("must be a whole number from 1", "must be a whole number from 1 to 9"), tighter);
  assert.equal(say("must be a whole number from 1 to 9", "must be a whole number from 0"), same);
  assert.equal(say("must be a version such as 4.5.12", "must be a version such as 4.2.1"), same);
  assert.equal(say("must be text of 1 to 100 characters", "must be a list of 1 to 50 ids"), same);
  assert.equal(say("Of 1 to 100 schools", "Of 1 to 50 schools"), same);
  assert.equal(say("must be text of 1 to 100 characters", "any text of 1 to 50 characters"), same);
});

test.run();
