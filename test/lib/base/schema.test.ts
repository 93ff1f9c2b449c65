/** Tests which inputs the basic schemas accept. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import * as v from "valibot";
import {
  BeforeCursor,
  boundedText,
  EmailAddress,
  formatCursor,
  HostName,
  InputTime,
  optionalOrNull,
  Slug,
} from "#lib/base/schema.ts";

const test = suite("schema");

const takes = (schema: v.GenericSchema, value: unknown): boolean => v.safeParse(schema, value).success;

test("text: refuses characters that cannot be stored, and keeps others unchanged", () => {
  const schema = boundedText(1, 5);
  for (const bad of ["", "a\u0000", "\ud800", "a\u001b[0m", "abcdef", 5, null, "a\u0085"]) {
    assert.not(takes(schema, bad));
  }
  for (const good of ["a", "añ\n\t", "👩‍🏫"]) assert.is(v.parse(schema, good), good);
});

test("text: counts code points, not UTF-16 units", () => {
  assert.ok(takes(boundedText(1, 2), "👍👍"));
  assert.not(takes(boundedText(1, 2), "👍👍👍"));
});

test("optionalOrNull: treats null as absent", () => {
  assert.equal(v.parse(v.object({ a: optionalOrNull(boundedText(1, 5)) }), { a: null }), { a: undefined });
});

test("Slug: accepts labels of host names", () => {
  for (const good of ["a", "north-high", "a1", "1a", "a".repeat(63)]) assert.ok(takes(Slug, good), good);
  for (const bad of ["", "-a", "a-", "A", "a_b", "a.b", "a".repeat(64), "a\n", 7]) {
    assert.not(takes(Slug, bad), String(bad));
  }
});

test("EmailAddress: lower-cases the address", () => {
  assert.is(v.parse(EmailAddress, " Ada@School.Example "), "ada@school.example");
  assert.ok(takes(EmailAddress, "admin@localhost"));
  for (const bad of ["", "a", "a@", "a b@c.de", "a@b..", "<a@b.cd>", "a@b.cd\u0000", "a@b,c.de"]) {
    assert.not(takes(EmailAddress, bad), bad);
  }
});

test("HostName: suggests the ASCII name without a trailing dot", () => {
  const messageOf = (name: string) => v.safeParse(HostName, name).issues?.[0].message;
  assert.is(messageOf("Müller.example"), "must be a host name in ASCII: write xn--mller-kva.example");
  assert.is(messageOf("müller.example."), "must be a host name in ASCII: write xn--mller-kva.example");
  assert.is(messageOf("school.example."), "must be a host name without a dot at its end: write school.example");
  for (const name of ["school", "school.example..", "müller", "a b.example", "\u212a", "ü".repeat(300)]) {
    assert.is(messageOf(name), "must be a host name such as school.example.org", name);
  }
});

test("HostName: requires two labels and refuses IP addresses", () => {
  assert.is(v.parse(HostName, "School.Example"), "school.example");
  for (const bad of ["localhost", "a..b", "-a.b", "1.2.3.4", "a_b.c", "https://a.b", "a.b/", `${"a".repeat(64)}.b`]) {
    assert.not(takes(HostName, bad), bad);
  }
});

test("BeforeCursor: accepts milliseconds or ISO times, and no invalid dates", () => {
  assert.is(v.parse(BeforeCursor, "1700000000000").at.getTime(), 1700000000000);
  assert.is(v.parse(BeforeCursor, "2026-11-21T12:00:00.000Z").at.toISOString(), "2026-11-21T12:00:00.000Z");
  assert.equal(v.parse(BeforeCursor, formatCursor(new Date(5), "spk_1")), { at: new Date(5), id: "spk_1" });
  for (
    const bad of [
      "1700000000000,",
      "1700000000000,a,b",
      "1700000000000,a'b",
      ",spk_1",
      `1700000000000,${"a".repeat(65)}`,
      "",
      "soon",
      "infinity",
      "-1",
      "1e5",
      "2026-13-01T00:00:00Z",
      "9".repeat(15),
      "9".repeat(16),
      "0000-01-01T00:00Z",
      "2030-02-30T00:00:00Z",
    ]
  ) {
    assert.not(takes(BeforeCursor, bad), bad);
  }
});

test("InputTime: requires a zone", () => {
  assert.ok(takes(InputTime, "2026-11-21T12:00:00+01:00"));
  for (
    const bad of [
      "2026-11-21",
      "2026-11-21T12:00:00",
      "tomorrow",
      "+300000-01-01T00:00:00Z",
      "0000-12-31T23:59Z",
      "9999-12-31T23:00-02:00",
    ]
  ) {
    assert.not(takes(InputTime, bad), bad);
  }
});

test("InputTime: refuses days that do not exist", () => {
  for (const bad of ["2030-02-30T00:00:00Z", "2030-02-29T12:00:00+01:00", "2030-04-31T00:00Z", "2030-11-00T00:00Z"]) {
    assert.not(takes(InputTime, bad), bad);
  }
  assert.is((v.parse(InputTime, "2028-02-29T23:30:00-01:00") as Date).toISOString(), "2028-03-01T00:30:00.000Z");
});

test.run();
