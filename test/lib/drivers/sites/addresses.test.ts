import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isPublicAddress, selectAddress } from "#lib/drivers/sites/addresses.ts";

const test = suite("selectAddress");

const FORBIDDEN = [
  ...["127.0.0.1", "0.0.0.0", "169.254.169.254", "224.0.0.1", "255.255.255.255", "192.0.2.1"],
  ...["::1", "::", "fe80::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe"],
  ...["", "localhost", "1.2.3", "2002:a9fe:a9fe::1"],
];
const PRIVATE = ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1", "fd00:ec2::254"];

test("never selects a forbidden address, even if the ingress reports it", () => {
  for (const address of FORBIDDEN) {
    assert.is(isPublicAddress(address), false, address);
    assert.is(selectAddress([address], [address]), null, address);
  }
});

test("selects a private address only if it is the ingress's", () => {
  for (const address of PRIVATE) {
    assert.is(isPublicAddress(address), false, address);
    assert.is(selectAddress([address], []), null, address);
    assert.is(selectAddress([address], ["10.9.9.9"]), null, address);
    assert.is(selectAddress([address], [address]), address);
  }
});

test("prefers IPv4, and skips forbidden addresses", () => {
  assert.is(selectAddress(["2a00:1450::1", "8.8.8.8"], []), "8.8.8.8");
  assert.is(selectAddress(["169.254.169.254", "2a00:1450::1"], []), "2a00:1450::1");
  for (const address of ["8.8.8.8", "172.15.0.1", "172.32.0.1", "100.128.0.1", "2a00:1450::1"]) {
    assert.is(selectAddress([address], []), address);
  }
});

test.run();
