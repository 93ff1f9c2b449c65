import { suite } from "uvu";
import * as assert from "uvu/assert";
import { cleanName, preventAutoLink } from "#lib/drivers/mail/names.ts";

const test = suite("cleanNameForMail");

test("keeps ordinary names in every script", () => {
  for (const name of ["Ada Lovelace", "O'Brien & Söhne", "St. Mary", "مدارس الشمال", "क्षेत्र", "東京", "👩‍👩‍👧‍👦 Family"]) {
    assert.is(cleanName(name, 60), name);
    assert.is(preventAutoLink(name, 60), name);
  }
});

test("joins lines", () => {
  assert.is(cleanName(" a\r\nBcc:\tb\u0000\u2028c\u0085 d ", 60), "a Bcc: b c d");
});

test("removes marks that reverse, hide or stack text", () => {
  assert.is(cleanName("\u202egnp.exe\u202c\u2067x\u2069\u200b\ufeff", 60), "gnp.exex");
  assert.is(cleanName(`a${"\u0301".repeat(100)}b`, 60), "a\u0301\u0301\u0301\u0301b");
  assert.is(cleanName("a\ud800b", 60), "a\ufffdb");
});

test("truncates between visible characters", () => {
  const family = "👩‍👩‍👧‍👦";
  assert.is(cleanName(family.repeat(100), 3), `${family}${family}…`);
  assert.is(cleanName("abc", 3), "abc");
  assert.is(cleanName("abcd", 3), "ab…");
  assert.ok(cleanName(`a${"\u200d".repeat(100_000)}`, 10).length < 100);
});

const armed = suite("unlinkName");

armed("prevents automatic links", () => {
  for (const text of ["https://evil.example/x", "www.evil.example", "eve@evil.example", "evil.example"]) {
    assert.not.match(preventAutoLink(text, 60), /\w\.\w|:\/\//);
    assert.is(preventAutoLink(text, 60).replaceAll("\u200b", ""), text);
  }
});

test.run();
armed.run();
