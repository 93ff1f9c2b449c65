import { suite } from "uvu";
import * as assert from "uvu/assert";
import { findNearestName } from "#lib/base/nearest-name.ts";

const test = suite("nearest");
const KNOWN = ["name", "slug", "displayName", "adminEmail", "expiresAt", "q"];

test("finds what a slip of the pen may have meant", () => {
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

test("guesses at nothing that is far off", () => {
  for (const far of ["role", "email", "x", "", "constructor", "nmea1"]) {
    assert.is(findNearestName(far, KNOWN), null, far);
  }
  assert.is(findNearestName("name", []), null);
});

test("compares no name that is too long to be a slip", () => {
  assert.is(findNearestName("n".repeat(100_000), ["n".repeat(100_000)]), null);
});

test.run();
