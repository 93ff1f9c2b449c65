import { suite } from "uvu";
import * as assert from "uvu/assert";
import { newId } from "#lib/base/ids.ts";
import { namespaceName } from "#lib/moodle/names.ts";

const test = suite("namespaceName");

test("holds the slug and the random end of the id", () => {
  assert.is(namespaceName("spoke", "biology", "spk_06fj2c4v7tq0w1x9n3m8k5r2dg"), "spoke-biology-x9n3m8k5r2dg");
});

test("is a label of RFC 1123 for the longest slug and prefix", () => {
  for (const slug of ["a", "a".repeat(40), "a-".repeat(19) + "b", "a".repeat(200), "a" + "-".repeat(60) + "b"]) {
    const name = namespaceName("federation", slug, newId("spk"));
    assert.match(name, /^[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/);
    assert.ok(name.length <= 63, name);
  }
});

test("is another one for another id of the same slug, made in the same moment", () => {
  const names = new Set(Array.from({ length: 2000 }, () => namespaceName("spoke", "biology", newId("spk"))));
  assert.is(names.size, 2000);
});

test("refuses an id that is too short to keep names apart, and words that are no name", () => {
  assert.throws(() => namespaceName("spoke", "biology", "spk_1234567"), /8 or more/);
  assert.throws(() => namespaceName("spoke", "Biology", newId("spk")), /no name/);
  assert.throws(() => namespaceName("spoke", "a b", newId("spk")), /no name/);
});

test.run();
