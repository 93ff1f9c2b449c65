import { suite } from "uvu";
import * as assert from "uvu/assert";
import { escapeInvisibleCharacters, escapeInvisibleCharactersDeep } from "#lib/base/readable.ts";

const test = suite("escapeInvisibleCharacters");

test("escapes bidirectional marks and control characters", () => {
  assert.is(escapeInvisibleCharacters("a\u202eb\u2066c\u061cd"), "a\\u202eb\\u2066c\\u061cd");
  assert.is(escapeInvisibleCharacters("\u001b[31mred\u0007\u0000\u009b"), "red\\u0007\\u009b");
  assert.is(escapeInvisibleCharacters("a\ud800b"), "a\ufffdb");
});

test("escapes all texts in a value", () => {
  assert.equal(escapeInvisibleCharactersDeep({ "a\u202e": ["b\u202e", 1, null, { c: "d\u0000" }] }), {
    "a\\u202e": ["b\\u202e", 1, null, { c: "d" }],
  });
});

test("keeps line feeds, tabs, and letters of every script", () => {
  const text = "one\n\ttwo é שלום العربية 日本 👩‍👩‍👧";
  assert.is(escapeInvisibleCharacters(text), text);
  assert.is(escapeInvisibleCharacters("a\r\nb"), "a\nb");
});

test.run();
