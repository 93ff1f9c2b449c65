import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type DnsClient, openDnsClient } from "#lib/drivers/dns/dns.ts";
import { type NameServer, openNameServer } from "#test/support/dns.ts";
import { rejection, until } from "#test/support/until.ts";

const test = suite<{ server: NameServer; dns: DnsClient }>("texts");
test.before(async (context) => {
  context.server = await openNameServer();
  context.dns = openDnsClient([context.server.address]);
});
test.after(({ server }) => server.close());

test("returns the TXT records of the name with joined strings", async ({ server, dns }) => {
  server.setAnswer("two.example", [["one"], ["t", "w", "o"]]);
  assert.equal([...await dns.texts("two.example")].sort(), ["one", "two"]);
  assert.equal(server.asked, ["two.example"]);
});

test("returns an empty list for a missing name or record", async ({ server, dns }) => {
  server.setAnswer("empty.example", "no records");
  assert.equal(await dns.texts("empty.example"), []);
  assert.equal(await dns.texts("nobody.example"), []);
  assert.equal(await dns.addresses("nobody.example"), []);
});

test("follows a CNAME", async ({ server, dns }) => {
  server.setAnswer("alias.example", { alias: "far.example.org", records: [["there"]] });
  assert.equal(await dns.texts("alias.example"), ["there"]);
});

test("limits the number and length of records, and accepts any bytes", async ({ server, dns }) => {
  server.setAnswer("many.example", Array.from({ length: 250 }, (_, i) => [`${i} ${"x".repeat(200)}`]));
  assert.is((await dns.texts("many.example")).length, 100);
  server.setAnswer("long.example", [Array.from({ length: 200 }, () => "y".repeat(255))]);
  assert.equal(await dns.texts("long.example"), ["y".repeat(1000)]);
  server.setAnswer("bytes.example", [["\x00\xff\xfe\n"], ["", ""], ["plain"]]);
  assert.ok((await dns.texts("bytes.example")).includes("plain"));
});

test("rejects if no server answers within the timeout", async ({ server, dns }) => {
  server.setAnswer("silent.example", "silence");
  const errors = await Promise.all([dns.texts("silent.example"), dns.addresses("silent.example")].map(rejection));
  for (const { message } of errors) assert.is(message, "No DNS server responded within 5 s");
});

test("rejects with the reason when the signal aborts", async ({ server, dns }) => {
  server.setAnswer("hanging.example", "silence");
  const stop = new AbortController(), reason = new Error("enough");
  const asking = rejection(dns.texts("hanging.example", stop.signal));
  await until(() => server.asked.includes("hanging.example"));
  stop.abort(reason);
  let over = false;
  const again = until(() => over || server.asked.filter((name) => name === "hanging.example").length > 1);
  assert.is(await Promise.race([asking, again]), reason);
  over = true;
  await again;
  assert.is(await rejection(dns.texts("two.example", stop.signal)), reason);
  assert.is(server.asked.filter((name) => name === "two.example").length, 1);
});

test.run();
