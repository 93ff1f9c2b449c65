import { suite } from "uvu";
import * as assert from "uvu/assert";
import { parseCelExpression } from "#lib/dev/simulator/access/expression.ts";

const test = suite("readExpression");

const object = { metadata: { name: "a", labels: { "x/y": "z" } }, subjects: [{ kind: "User" }] };
const ask = (text: string) => parseCelExpression(text)({ object, oldObject: null, request: { operation: "CREATE" } });

test("evaluates comparisons, conditionals, maps and lists", () => {
  for (
    const [text, value] of [
      ['request.operation == "CREATE"', true],
      ["request.operation != 'CREATE'", false],
      ['"x/y" in object.metadata.labels && object.metadata.labels["x/y"] == "z"', true],
      ['"a" in object.metadata.labels || !false', true],
      ["has(object.metadata.labels) && !has(object.metadata.annotations)", true],
      ["object.subjects.size() == 1 && object.subjects[0].kind == 'User'", true],
      ['request.operation == "DELETE" ? oldObject.gone : object.metadata.name', "a"],
      ["object.metadata.name.startsWith('a') && !'b'.startsWith('a')", true],
      ["(true || false) && false", false],
      ["object.metadata.labels == object.metadata.labels && object.subjects != object.metadata", true],
      ["['a', 'b'].exists(x, object.metadata.name == x) && ![].exists(x, true)", true],
      ["object.subjects.all(each, each.kind == 'User') && !['a', 'b'].all(x, x == 'a')", true],
    ] as const
  ) assert.is(ask(text), value, text);
});

test("throws for a missing field, unless the result does not depend on it", () => {
  assert.throws(() => ask("object.spec.replicas == 1"), /no such key: spec/);
  assert.throws(() => ask('object.metadata.labels["none"] == "z"'), /no such key: none/);
  assert.throws(() => ask("has(object.spec.replicas)"), /no such key: spec/);
  assert.is(ask("false && object.spec.replicas == 1"), false);
});

test("rejects unsupported syntax", () => {
  for (
    const text of [
      "a.b.map(x, x == 1)",
      "[1",
      "a.exists(1, true)",
      "has(a)",
      "object.",
      "1 + 1",
      "has(object",
      "object.metadata.name == ",
      "a b",
      "@",
    ]
  ) {
    assert.throws(() => parseCelExpression(text), undefined, text);
  }
});

test.run();
