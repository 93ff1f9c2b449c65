import { suite } from "uvu";
import * as assert from "uvu/assert";
import { networkOf } from "#lib/base/limits/address.ts";

const test = suite("networkOf");

test("returns IPv4 addresses and other text unchanged", () => {
  for (const text of ["203.0.113.7", "", "unix"]) assert.is(networkOf(text), text);
});

test("returns one name per IPv6 network", () => {
  assert.is(networkOf("2001:db8:1:2::1"), networkOf("2001:db8:1:ffff::2"));
  assert.is.not(networkOf("2001:db8:1::1"), networkOf("2001:db8:2::1"));
  assert.is(networkOf("2001:db8:1:2::1", 64), networkOf("2001:db8:1:2:ffff::2", 64));
  assert.is.not(networkOf("2001:db8:1:2::1", 64), networkOf("2001:db8:1:3::1", 64));
  assert.is.not(networkOf("0:0:1::1", 48), networkOf("0:0:0:1::1", 64));
});

test.run();
