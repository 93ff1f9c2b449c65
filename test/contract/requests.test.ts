import { suite } from "uvu";
import * as assert from "uvu/assert";
import { compareDocuments, type Json } from "#test/support/contract.ts";

const test = suite("compareRequests");

const TEXT = { type: "string" };

/** Returns the findings for an endpoint whose parameter changes. */
function between(once: Json, then: Json, findings = ({ kind, where }: Json) => `${kind} ${where}`): readonly string[] {
  const document = (parameter: Json) => ({
    paths: { "/things": { get: { parameters: [{ in: "query", schema: TEXT, ...parameter }] } } },
  });
  return compareDocuments(document(once), document(then)).map(findings);
}

test("reports a renamed required parameter once", () => {
  const once = { name: "hub", required: true }, then = { name: "hubId", required: true };
  assert.equal(between(once, then), ["field_renamed the query: hub"]);
  assert.equal(between({ ...once, required: false }, then), [
    "field_renamed the query: hub",
    "validation_tightened the query: hubId",
  ]);
});

test("does not pair parameters in different locations", () => {
  const messageOf = (one: Json) => one.message;
  assert.equal(between({ name: "a" }, { name: "b" }, messageOf), [
    "`a` is gone; `b` is new and of the same type: is it the same under another name?",
  ]);
  assert.equal(between({ name: "a" }, { name: "a", in: "header" }, messageOf), [
    "`a` is no longer read",
  ]);
});

test("identifies path parameters by position", () => {
  const document = (name: string, schema: Json) => ({
    paths: { [`/things/{${name}}`]: { get: { parameters: [{ in: "path", name, required: true, schema }] } } },
  });
  const findings = (after: Json) =>
    compareDocuments(document("id", TEXT), after).map(({ kind, message: messageOf }) => `${kind} ${messageOf}`);
  const renamed = "field_renamed `id` is now `thingId`. Generated clients use its name";
  assert.equal(findings(document("thingId", TEXT)), [renamed]);
  assert.equal(findings(document("thingId", { type: "number" })), [
    renamed,
    "type_changed `id` was string, and is number now",
  ]);
});

test("ignores case in header names, but not in query names", () => {
  assert.equal(between({ name: "X-Key", in: "header" }, { name: "x-key", in: "header" }), []);
  assert.equal(between({ name: "Key" }, { name: "key" }), ["field_renamed the query: Key"]);
});

test.run();
