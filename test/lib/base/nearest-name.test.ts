import { suite } from "uvu";
import * as assert from "uvu/assert";
import { findNearestName } from "#lib/base/nearest-name.ts";

const test = suite("findNearestName");
const KNOWN = ["name", "slug", "displayName", "adminEmail", "expiresAt", "q"];

test("finds the name that a typo probably meant", () => {
  const pairs = {
    nmae: "name",
    nam: "name",
    names: "name",
    SLUG: "slug",
    displayname: "displayName",
    display_name: "displayName",
    dsiplayNmae: "displayName",
    expires_at: "expiresAt",
    Q: "q",
  };
  for (const [written, meant] of Object.entries(pairs)) assert.is(findNearestName(written, KNOWN), meant, written);
});

test("returns null for distant names", () => {
  for (const far of ["role", "email", "x", "", "constructor", "nmea1"]) {
    assert.is(findNearestName(far, KNOWN), null, far);
  }
  assert.is(findNearestName("name", []), null);
});

test("does not compare very long names", () => {
  assert.is(findNearestName("n".repeat(100_000), ["n".repeat(100_000)]), null);
});

test.run();
