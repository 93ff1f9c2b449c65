import { suite } from "uvu";
import * as assert from "uvu/assert";
import { decodeUtf8 } from "#lib/base/utf8.ts";

const test = suite("decodeUtf8");

test("decodes text with or without a byte order mark", () => {
  assert.is(decodeUtf8(Buffer.from("Łódź")), "Łódź");
  assert.is(decodeUtf8(Buffer.from("\ufeffslug: ash")), "slug: ash");
});

test("refuses other encodings, and recognizes UTF-16", () => {
  assert.throws(() => decodeUtf8(Buffer.from("Köln", "latin1")), /^it is not valid UTF-8$/);
  for (const text of [Buffer.from("\ufeffash", "utf16le"), Buffer.from("\ufeffash", "utf16le").swap16()]) {
    assert.throws(() => decodeUtf8(text), "it is not valid UTF-8 but UTF-16; save it as UTF-8");
  }
});

test.run();
