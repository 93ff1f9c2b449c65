import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createIncompleteBodyLimit } from "#lib/base/limits/unread-bodies.ts";
import { until } from "#test/support/until.ts";

const test = suite("createIncompleteBodyLimit");

function open(most: number, grace = 1) {
  const unread = createIncompleteBodyLimit(1024, { most, grace }), cut: string[] = [];
  return { cut, begin: (name: string, address: string) => unread.track(address, () => cut.push(name)) };
}

test("cuts the oldest body of a network that has more than a quarter", async () => {
  const { cut, begin } = open(8);
  begin("first", "192.0.2.1");
  begin("second", "192.0.2.1");
  begin("other", "192.0.2.2");
  begin("third", "192.0.2.1");
  await until(() => cut.length > 0);
  assert.equal(cut, ["first"]);
});

test("counts the addresses of an IPv6 network together", async () => {
  const { cut, begin } = open(4);
  begin("first", "2001:db8::1");
  begin("second", "2001:db8::ffff");
  await until(() => cut.length > 0);
  assert.equal(cut, ["first"]);
});

test("cuts the oldest body if many networks have too many together", async () => {
  const { cut, begin } = open(4);
  for (let i = 1; i <= 6; i++) begin(String(i), `192.0.2.${i}`);
  await until(() => cut.length > 1);
  assert.equal(cut, ["1", "2"]);
});

test("cuts no body that arrives without delay", async () => {
  const { cut, begin } = open(4, 20);
  const ends = Array.from({ length: 100 }, (_, i) => begin(String(i), "192.0.2.1"));
  for (const end of ends) end();
  begin("last", "192.0.2.1");
  begin("one more", "192.0.2.1");
  await until(() => cut.length > 0);
  assert.equal(cut, ["last"]);
});

test("gives each body its grace period, however many there are", async () => {
  const clock = { now: 0, asked: 0 }, cut: string[] = [];
  const unread = createIncompleteBodyLimit(1024, { most: 4, grace: 1, now: () => (clock.asked++, clock.now) });
  for (const name of ["first", "second", "third"]) unread.track("192.0.2.1", () => cut.push(name));
  await until(() => clock.asked > 10); // it has checked many times
  assert.equal(cut, []);
  clock.now = 1;
  await until(() => cut.length > 1);
  assert.equal(cut, ["first", "second"]);
});

test("cuts no body twice, and none that has ended", async () => {
  const { cut, begin } = open(4);
  const end = begin("first", "192.0.2.1");
  begin("second", "192.0.2.1");
  await until(() => cut.length > 0);
  end();
  begin("third", "192.0.2.1");
  await until(() => cut.length > 1);
  assert.equal(cut, ["first", "second"]);
});

test.run();
