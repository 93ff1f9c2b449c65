import { suite } from "uvu";
import * as assert from "uvu/assert";
import { checkReceiver, findUrlProblem } from "#lib/drivers/webhooks/receivers.ts";

const test = suite("checkReceiver");

const check = (
  url: string,
  addresses: readonly string[] = ["93.184.216.34"],
  allowedNetworks: readonly string[] = [],
) => checkReceiver(new URL(url), { lookUp: () => Promise.resolve(addresses), allowedNetworks });
const LOCAL = { refused: "its address is private, local or reserved" };

test("returns the address to connect to, IPv4 first", async () => {
  assert.equal(await check("https://hooks.example/a"), { address: "93.184.216.34", host: "hooks.example" });
  assert.equal(await check("https://hooks.example/", ["2606:2800::1", "93.184.216.34"]), {
    address: "93.184.216.34",
    host: "hooks.example",
  });
  assert.equal(await check("https://[2606:2800::1]:8443/"), { address: "2606:2800::1", host: "2606:2800::1" });
});

test("refuses private, loopback, link-local, metadata and reserved addresses", async () => {
  const forbidden = [
    ...["10.1.2.3", "172.16.0.1", "192.168.1.1", "100.64.0.1", "127.0.0.1", "127.9.9.9", "0.0.0.0", "169.254.169.254"],
    ...["192.0.0.8", "192.0.2.1", "198.18.0.1", "203.0.113.9", "192.88.99.1", "224.0.0.1", "240.0.0.1"],
    ...["255.255.255.255", "::", "::1", "::ffff:10.0.0.1", "::ffff:127.0.0.1", "::ffff:93.184.216.34", "::7f00:1"],
    ...["64:ff9b::a00:1", "64:ff9b:1::1", "2002:a00:1::1", "2001:0:1::1", "fd00:ec2::254", "fc00::1", "fe80::1"],
    ...["fec0::1", "ff02::1", "2001:db8::1"],
  ];
  for (const address of forbidden) {
    assert.equal(await check("https://hooks.example/", [address]), LOCAL, address);
    const literal = address.includes(":") ? `https://[${address}]/` : `https://${address}/`;
    assert.equal(await check(literal), LOCAL, literal);
  }
});

test("refuses other spellings of a local address", async () => {
  for (const host of ["2130706433", "0x7f.1", "0177.0.0.1", "127.1", "localhost", "a.localhost", "localhost."]) {
    assert.equal(await check(`https://${host}/`), LOCAL, host);
  }
});

test("refuses a host with one forbidden address among others, so that DNS cannot choose", async () => {
  assert.equal(await check("https://hooks.example/", ["93.184.216.34", "10.0.0.1"]), LOCAL);
});

test("refuses http and hosts without addresses", async () => {
  assert.equal(await check("http://hooks.example/"), { refused: "it does not use https" });
  assert.equal(await check("https://hooks.example/", []), { refused: "its host name has no DNS record" });
});

test("allows the networks in WEBHOOK_NETWORKS, also with http", async () => {
  const networks = ["10.0.0.0/24", "::1"];
  assert.equal(await check("http://inside.example/", ["10.0.0.9"], networks), {
    address: "10.0.0.9",
    host: "inside.example",
  });
  assert.equal(await check("http://[::1]:3000/", [], networks), { address: "::1", host: "::1" });
  assert.equal(await check("https://inside.example/", ["10.0.1.9"], networks), LOCAL);
});

test("refuses URLs that can never be a receiver", () => {
  const problems = ["ftp://a.example/", "a.example", "https://me:pw@a.example/", "https://a.example/#x", "file:///etc"]
    .map(findUrlProblem);
  assert.equal(problems, [
    "must be an https URL",
    "must be an https URL",
    "must not contain a user or password",
    "must not contain a fragment (#)",
    "must be an https URL",
  ]);
  assert.is(findUrlProblem("https://a.example:8443/hook?key=1"), null);
});

test.run();
