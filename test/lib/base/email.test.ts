import { suite } from "uvu";
import * as assert from "uvu/assert";
import { canonicalizeEmail, canonicalizeSearchTerm } from "#lib/base/email.ts";

const test = suite("canonicalizeEmail");

test("converts each address to one form", () => {
  const forms: readonly (readonly [string, string])[] = [
    [" Ada@School.Example ", "ada@school.example"],
    ["ada@MÜLLER.example", "ada@xn--mller-kva.example"],
    ["ada@xn--mller-kva.EXAMPLE", "ada@xn--mller-kva.example"],
    ["ada@mu\u0308ller.example", "ada@xn--mller-kva.example"],
    ["JÜRGEN@x.example", "jürgen@x.example"],
    ["ju\u0308rgen@x.example", "jürgen@x.example"],
    ["admin@localhost", "admin@localhost"],
    ["o'neil+tag@x.example", "o'neil+tag@x.example"],
  ];
  for (const [given, form] of forms) {
    assert.is(canonicalizeEmail(given), form, given);
    assert.is(canonicalizeEmail(form), form, "the canonical form is stable");
  }
});

test("refuses invisible characters and invalid addresses", () => {
  const wrong = [
    ...[
      "",
      "a",
      "a@",
      "@b.c",
      "a b@c.de",
      "a@b..",
      "a@b.",
      "<a@b.cd>",
      "a@b,c.de",
      "a@b@c",
      "a@1.2",
      "a@x:25",
      "a@x/y",
    ],
    ...["a\u200b@x.de", "a\u00ad@x.de", "a\u202e@x.de", "a\u0000@x.de", "a\ud800@x.de", "a@x\u200b.de", "a\u3164@x.de"],
    ...[`${"a".repeat(65)}@x.de`, `a@${"b".repeat(64)}.de`, `a@${"b.".repeat(126)}de`],
  ];
  for (const each of wrong) assert.is(canonicalizeEmail(each), null, JSON.stringify(each));
});

test("lower-cases the beginning of an address", () => {
  assert.is(canonicalizeSearchTerm("Ada@"), "ada@");
  assert.is(canonicalizeSearchTerm("ADA@Müller.example"), "ada@xn--mller-kva.example");
});

test.run();
