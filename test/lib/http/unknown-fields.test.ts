import { suite } from "uvu";
import * as assert from "uvu/assert";
import * as v from "valibot";
import { Fault } from "#lib/base/errors.ts";
import { refuseUnknownFields, refuseUnknownParameters } from "#lib/http/unknown-fields.ts";
import { boundedList, boundedText, optionalOrNull } from "#lib/base/schema.ts";

const test = suite("unknown fields");

const Body = v.object({
  name: boundedText(1, 10),
  address: optionalOrNull(
    v.object({ street: optionalOrNull(boundedText(1, 10)), town: optionalOrNull(boundedText(1, 10)) }),
  ),
  parts: v.optional(boundedList(v.object({ size: v.string() }), 1, 5, "must be a list")),
  labels: v.optional(v.record(v.string(), v.string())),
});

function messageFor(body: object, schema?: v.GenericSchema): string {
  try {
    refuseUnknownFields(schema, body);
    return "taken";
  } catch (error) {
    assert.instance(error, Fault);
    assert.equal([(error as Fault).kind, (error as Fault).code], ["invalid", "unknown_field"]);
    return (error as Fault).message;
  }
}

test("are reported with the nearest name", () => {
  assert.is(messageFor({ nmae: "x" }, Body), "Unknown field `nmae`; did you mean `name`?");
});

test("are reported with all names if none is near", () => {
  const accepted = "this endpoint accepts `name`, `address`, `parts`, `labels`";
  assert.is(messageFor({ role: 1 }, Body), `Unknown field \`role\`; ${accepted}`);
  assert.is(messageFor({ role: 1 }), "Unknown field `role`; this endpoint accepts none");
});

test("are found at any depth, and in lists", () => {
  assert.is(
    messageFor({ name: "x", address: { stret: "y" } }, Body),
    "Unknown field `address.stret`; did you mean `address.street`?",
  );
  assert.is(
    messageFor({ parts: [{ size: "s" }, { szie: "s" }] }, Body),
    "Unknown field `parts.1.szie`; did you mean `parts.1.size`?",
  );
});

test("are refused even if null, unlike known fields", () => {
  assert.match(messageFor({ nmae: null }, Body), "Unknown field `nmae`");
  assert.is(messageFor({ name: "x", address: null, parts: undefined }, Body), "taken");
});

test("are allowed in maps", () => {
  assert.is(messageFor({ labels: { anything: "x" } }, Body), "taken");
});

test("may have names of prototype properties", () => {
  assert.match(messageFor(JSON.parse('{"__proto__":{"name":"x"}}'), Body), "Unknown field `__proto__`");
  assert.match(messageFor({ constructor: 1 }, Body), "Unknown field `constructor`");
});

test("are reported five times and then counted", () => {
  const body = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`nam${i}`, i]));
  const first = ["`nam0` (did you mean `name`?)", "`nam1` (did you mean `name`?)", "`nam2` (did you mean `name`?)"];
  const more = ["`nam3` (did you mean `name`?)", "`nam4` (did you mean `name`?)"];
  assert.is(messageFor(body, Body), `Unknown fields ${[...first, ...more].join(", ")} and 9995 more`);
});

test("are quoted without control characters, and truncated", () => {
  const message = messageFor({ ["\u001b[2J`\ud800" + "x".repeat(100_000)]: 1 }, Body);
  assert.match(message, /^Unknown field `\ufffd\[2J\ufffd\ufffdx+…`; this endpoint accepts/);
  assert.ok(message.length < 200);
});

test("are refused in a query as parameters", () => {
  const query = v.object({ limit: v.optional(v.string()) });
  assert.throws(
    () => refuseUnknownParameters(query, { limt: "1" }),
    (error: Fault) =>
      error.code === "unknown_parameter" && error.message === "Unknown parameter `limt`; did you mean `limit`?",
  );
  assert.throws(
    () => refuseUnknownParameters(undefined, { a: "1" }),
    /Unknown parameter `a`; this endpoint accepts none/,
  );
  refuseUnknownParameters(query, { limit: "1" });
});

test.run();
