import { suite } from "uvu";
import * as assert from "uvu/assert";
import { formatIpAddress, parseCidrNetwork, parseIpAddress } from "#lib/base/limits/address.ts";
import { createLog } from "#lib/base/log.ts";
import { createClientAddressFinder } from "#lib/base/limits/client-address.ts";

const test = suite("createClientAddressFinder");
const find = createClientAddressFinder(["10.0.0.0/8", "fd00::/8", "192.0.2.1"]);

test("ignores the header of an untrusted peer", () => {
  assert.is(find("203.0.113.7", "198.51.100.1"), "203.0.113.7");
  assert.is(createClientAddressFinder([])("10.1.2.3", "198.51.100.1"), "10.1.2.3");
});

test("returns the first untrusted address from the right", () => {
  assert.is(find("10.1.2.3", "1.1.1.1, 198.51.100.1, 10.9.9.9, 192.0.2.1"), "198.51.100.1");
  assert.is(find("10.1.2.3", "198.51.100.1"), "198.51.100.1");
});

test("returns the last proxy if the entry before it is unreadable", () => {
  assert.is(find("10.1.2.3", null), "10.1.2.3");
  assert.is(find("10.1.2.3", "198.51.100.1, unknown"), "10.1.2.3");
  assert.is(find("10.1.2.3", "10.4.4.4"), "10.4.4.4");
});

test("handles IPv4-mapped addresses, ports and zones", () => {
  assert.is(find("::ffff:10.1.2.3", "198.51.100.1:4711"), "198.51.100.1");
  assert.is(find("fd00::1", "[2001:db8::1]:443"), "2001:db8:0:0:0:0:0:1");
  assert.is(find("::ffff:203.0.113.7", null), "203.0.113.7");
  assert.is(find("fe80::1%eth0", null), "fe80:0:0:0:0:0:0:1");
});

test("logs the first untrusted peer that sends the header, and no other", () => {
  const lines: string[] = [];
  const log = createLog({ level: "warn", format: "json", write: (line) => lines.push(line) });
  const findClient = createClientAddressFinder(["10.0.0.0/8"], log);
  for (const [peer, header] of [["10.1.2.3", "198.51.100.1"], ["203.0.113.7", null], ["", "x"]] as const) {
    findClient(peer, header);
  }
  assert.equal(lines, []);
  for (const peer of ["::ffff:203.0.113.7", "203.0.113.7", "203.0.113.8"]) findClient(peer, "x".repeat(100_000));
  assert.is(lines.length, 1);
  const { level, message } = JSON.parse(lines[0]!);
  assert.is(level, "warn");
  assert.match(message, /^203\.0\.113\.7 sends X-Forwarded-For and is not in TRUSTED_PROXIES, .*one sign-in limit/);
  assert.ok(lines[0]!.length < 500, "the log line has a bounded length");
});

test("returns an empty string for a socket without an address", () => {
  assert.is(find("", "198.51.100.1"), "");
});

test("formats equal addresses in one way", () => {
  for (const text of ["2001:DB8::1", "2001:db8:0:0:0:0:0:1", "2001:0db8::0001"]) {
    assert.is(formatIpAddress(parseIpAddress(text)!), "2001:db8:0:0:0:0:0:1");
  }
  assert.is(formatIpAddress(parseIpAddress("::")!), "0:0:0:0:0:0:0:0");
  assert.is(formatIpAddress(parseIpAddress("::ffff:c000:0201")!), "192.0.2.1");
  assert.is(parseIpAddress("300.1.1.1"), null);
});

test("matches networks of any prefix length", () => {
  const holds = (network: string, text: string) => parseCidrNetwork(network)(parseIpAddress(text)!);
  assert.is(holds("192.0.2.128/25", "192.0.2.128"), true);
  assert.is(holds("192.0.2.128/25", "192.0.2.127"), false);
  assert.is(holds("0.0.0.0/0", "203.0.113.7"), true);
  assert.is(holds("0.0.0.0/0", "2001:db8::1"), false);
  assert.is(holds("::/0", "2001:db8::1"), true);
  assert.is(holds("2001:db8::/33", "2001:db8:8000::"), false);
  assert.throws(() => parseCidrNetwork("example.org"), /is not a network/);
});

test.run();
