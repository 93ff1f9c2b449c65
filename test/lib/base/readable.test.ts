import { suite } from "uvu";
import * as assert from "uvu/assert";
import { makeReadable, makeValueReadable } from "#lib/base/readable.ts";

const test = suite("readable");

test("shows marks that turn text around, and control characters, as escapes", () => {
  assert.is(makeReadable("a\u202eb\u2066c\u061cd"), "a\\u202eb\\u2066c\\u061cd");
  assert.is(makeReadable("\u001b[31mred\u0007\u0000\u009b"), "red\\u0007\\u009b");
  assert.is(makeReadable("a\ud800b"), "a\ufffdb");
});

test("makes all texts in a value readable", () => {
  assert.equal(makeValueReadable({ "a\u202e": ["b\u202e", 1, null, { c: "d\u0000" }] }), {
    "a\\u202e": ["b\\u202e", 1, null, { c: "d" }],
  });
});

test("keeps lines, tabs, and letters of every script", () => {
  const text = "one\n\ttwo é שלום العربية 日本 👩‍👩‍👧";
  assert.is(makeReadable(text), text);
  assert.is(makeReadable("a\r\nb"), "a\nb");
});

test.run();
