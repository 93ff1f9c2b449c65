import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { WakeupTopic } from "#lib/drivers/db/database.ts";
import { openWakeups } from "#lib/drivers/db/wakeups.ts";
import { SILENT_LOG } from "#lib/base/log.ts";

const test = suite("openWakeups");

function listening(notify: (payloads: readonly string[]) => Promise<void>) {
  const sent: string[][] = [];
  const wakeups = openWakeups({ log: SILENT_LOG, notify: (payloads) => (sent.push([...payloads]), notify(payloads)) });
  return { wakeups, sent };
}
const topicsOf = (payloads: string[]) => payloads.flatMap((payload) => payload.split(";")[1]!.split(","));

test("combines announcements, and sends those made during a send next", async () => {
  const first = Promise.withResolvers<void>();
  const { wakeups, sent } = listening(() => sent.length === 1 ? first.promise : Promise.resolve());
  wakeups.announce(["jobs"]);
  wakeups.announce(["federation:a", "jobs"]);
  await Promise.resolve().then(() => {});
  wakeups.announce(["federation:b"]);
  wakeups.announce(["federation:c"]);
  first.resolve();
  await wakeups.flushed();
  assert.equal(sent.map(topicsOf), [["jobs", "federation:a"], ["federation:b", "federation:c"]]);
});

test("splits payloads at PostgreSQL's limit without losing topics", async () => {
  const { wakeups, sent } = listening(() => Promise.resolve());
  const topics = Array.from({ length: 1000 }, (_, i): WakeupTopic => `federation:fed_${String(i).padStart(26, "0")}`);
  wakeups.announce(topics);
  await wakeups.flushed();
  assert.ok(sent[0]!.every((payload) => payload.length < 8000));
  assert.equal(topicsOf(sent[0]!), topics);
});

test("retries a failed notification", async () => {
  const { wakeups, sent } = listening(() => sent.length === 1 ? Promise.reject(new Error("lost")) : Promise.resolve());
  wakeups.announce(["jobs"]);
  await wakeups.flushed();
  assert.equal(sent.map(topicsOf), [["jobs"], ["jobs"]]);
});

test("ignores its own notifications, but delivers those of other replicas", async () => {
  const { wakeups, sent } = listening(() => Promise.resolve());
  let calls = 0;
  const stop = wakeups.subscribe("jobs", () => calls++);
  wakeups.announce(["jobs"]);
  await wakeups.flushed();
  wakeups.receive(sent[0]![0]!);
  assert.is(calls, 1);
  wakeups.receive("another;federation:x,jobs");
  assert.is(calls, 2);
  wakeups.receive(null);
  assert.is(calls, 3);
  stop();
  wakeups.receive(null);
  assert.is(calls, 3);
});

test("calls the other listeners if one throws", () => {
  const { wakeups } = listening(() => Promise.resolve());
  let called = false;
  wakeups.subscribe("jobs", () => {
    throw new Error("broken");
  });
  wakeups.subscribe("jobs", () => called = true);
  wakeups.receive("another;jobs");
  assert.ok(called);
});

test.run();
