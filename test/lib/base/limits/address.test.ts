import { suite } from "uvu";
import * as assert from "uvu/assert";
import { getCallerNetwork } from "#lib/base/limits/address.ts";

const test = suite("getCallerNetwork");

test("returns IPv4 addresses and other text unchanged", () => {
  for (const text of ["203.0.113.7", "", "unix"]) assert.is(getCallerNetwork(text), text);
});

test("returns one name per IPv6 network", () => {
  assert.is(getCallerNetwork("2001:db8:1:2::1"), getCallerNetwork("2001:db8:1:ffff::2"));
  assert.is.not(getCallerNetwork("2001:db8:1::1"), getCallerNetwork("2001:db8:2::1"));
  assert.is(getCallerNetwork("2001:db8:1:2::1", 64), getCallerNetwork("2001:db8:1:2:ffff::2", 64));
  assert.is.not(getCallerNetwork("2001:db8:1:2::1", 64), getCallerNetwork("2001:db8:1:3::1", 64));
  assert.is.not(getCallerNetwork("0:0:1::1", 48), getCallerNetwork("0:0:0:1::1", 64));
});

test.run();
