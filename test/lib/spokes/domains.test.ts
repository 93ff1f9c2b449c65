import { suite } from "uvu";
import * as assert from "uvu/assert";
import { defaultDomains, refuseReserved } from "#lib/spokes/domains.ts";

const place = { rootDomain: "spokes.example.org", publicHost: "hubs.example.org" };
const test = suite("defaultDomains");

test("are the slug's, then the slug's and the hub's, one label below the root", () => {
  assert.equal(defaultDomains("biology", "north", place), [
    "biology.spokes.example.org",
    "biology-north.spokes.example.org",
  ]);
});

test("never are the service's own", () => {
  assert.equal(defaultDomains("hubs", "north", { ...place, rootDomain: "example.org" }), ["hubs-north.example.org"]);
});

test("leave out what is too long for a label", () => {
  const long = "a".repeat(40);
  assert.equal(defaultDomains(long, "b".repeat(40), place), [`${long}.spokes.example.org`]);
});

test("are refused as a given domain when they are the root or the service's host", () => {
  for (const domain of ["spokes.example.org", "hubs.example.org"]) {
    assert.throws(() => refuseReserved(domain, place), /belongs to the service/);
  }
  refuseReserved("school.example.org", place);
});

test.run();
