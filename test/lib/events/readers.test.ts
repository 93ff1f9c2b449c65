/** Tests limits of streams, and visibility checks: shared, repeated when the user changes, and never guessed. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Database } from "#lib/drivers/db/database.ts";
import type { ReadVisibility, StreamFollower } from "#lib/events/visibility.ts";
import { openStreamReaders, type StreamReader, type StreamReaders } from "#lib/events/readers.ts";
import { createDecision } from "#test/lib/events/open-test-stream.ts";
import { getCurrentContext, runInContext } from "#lib/base/work-context.ts";
import { SILENT_LOG } from "#lib/base/log.ts";
import { startSpanContext } from "#lib/base/trace.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { until } from "#test/support/until.ts";

const test = suite<{ db: TestDatabase; opened: StreamReaders[] }>("openReaders");

test.before(async (context) => void (context.db = await openTestDatabase()));
test.before.each((context) => void (context.opened = []));
test.after.each(({ opened }) => opened.forEach((readers) => readers.close()));
test.after(({ db }) => db.close());

/** Opens readers and records each check as the list of its credentials. */
function open(
  context: { db: TestDatabase; opened: StreamReaders[] },
  look: ReadVisibility = all,
  most = 99,
  db: Database = context.db,
) {
  const checks: string[] = [], warnings: string[] = [];
  const readers = openStreamReaders(db, { ...SILENT_LOG, warn: (message) => void warnings.push(message) }, {
    maxStreams: most,
    readVisibility: (rows, followers) => {
      checks.push(followers.map(({ credentialId }) => credentialId).join());
      return look(rows, followers);
    },
  });
  context.opened.push(readers);
  const enter = (who: Partial<StreamFollower> = {}) =>
    readers.enter({ credentialId: "token", userId: "user", federationId: "hub", ...who });
  return { looks: checks, warnings, readers, enter };
}

const all: ReadVisibility = (_, followers) => Promise.resolve(followers.map(() => createDecision("all")));

const wake = (db: Database, userId: string) => db.transact((tx) => Promise.resolve(tx.wakes.add(`user:${userId}`)));

async function decided(reader: StreamReader, since = -Infinity) {
  while (!reader.visibility(since)) await reader.recheck();
  return reader.visibility(since)!;
}

const codeOf = (work: () => unknown) => {
  try {
    work();
    return null;
  } catch (error) {
    const { kind, code, retryAfter } = error as { kind: string; code: string; retryAfter: number };
    return [kind, code, retryAfter > 0];
  }
};

test("shows nothing before the first check, which covers all streams of a credential", async (context) => {
  const { looks: checks, enter } = open(context);
  const streams = Array.from({ length: 20 }, () => enter()), other = enter({ credentialId: "session", userId: "ann" });
  assert.ok(streams.every((reader) => reader.visibility(-Infinity) === null));
  await Promise.all([...streams, other].map((reader) => decided(reader)));
  assert.equal(checks, ["token,session"]);
});

test("runs checks outside of the first request's context", async (context) => {
  const causes: unknown[] = [];
  const { enter } = open(context, (rows, followers) => {
    causes.push(getCurrentContext());
    return all(rows, followers);
  });
  await runInContext({ rootSpan: startSpanContext(null, () => true), logFields: {} }, () => decided(enter()));
  assert.equal(causes, [null]);
});

test("checks a new stream again, even if the credential was just checked", async (context) => {
  const { looks: checks, enter } = open(context);
  await decided(enter());
  const later = enter();
  assert.is(later.visibility(-Infinity), null);
  await decided(later);
  assert.ok(checks.length >= 2);
});

test("checks only the user of a wake-up", async (context) => {
  const { looks: checks, enter } = open(context), ann = enter({ credentialId: "a", userId: "ann" });
  const [first, second] = [enter(), enter({ federationId: "other" })];
  await Promise.all([ann, first, second].map((reader) => decided(reader)));
  await wake(context.db, "ann");
  await until(() => checks.includes("a"));
  await wake(context.db, "user");
  await until(() => checks.includes("token,token"));
});

test("ignores a decision whose user changed during the check", async (context) => {
  const { promise: first, resolve } = Promise.withResolvers<void>();
  let turn = 0;
  const { enter } = open(
    context,
    async () => turn++ === 0 ? (await first, [createDecision("all")]) : [createDecision(new Set(["oak"]))],
  );
  const reader = enter(), looked = reader.recheck();
  await until(() => turn === 1);
  await wake(context.db, "user");
  resolve();
  await looked;
  assert.is(reader.visibility(-Infinity), null);
  assert.equal(await decided(reader), new Set(["oak"]));
});

test("ends streams of revoked access and shows nothing until then", async (context) => {
  let good = true;
  const { enter } = open(
    context,
    (_, followers) => Promise.resolve(followers.map(() => createDecision(good ? "all" : null))),
  );
  const reader = enter();
  await decided(reader);
  good = false;
  await wake(context.db, "user");
  await until(() => reader.ended.aborted);
  assert.is(reader.visibility(-Infinity), null);
});

test("ends streams of revoked access even without a wake-up", async (context) => {
  const deaf = { ...context.db, wakeups: { subscribe: () => () => {} } };
  let good = true;
  const look: ReadVisibility = (_, followers) =>
    Promise.resolve(followers.map(() => createDecision(good ? "all" : null)));
  const { enter } = open(context, look, 99, deaf), reader = enter();
  await decided(reader);
  good = false;
  await until(() => reader.ended.aborted);
  assert.is(reader.visibility(-Infinity), null);
});

test("waits for a check that began after the given time", async (context) => {
  const { looks: checks, enter } = open(context), reader = enter();
  await decided(reader);
  const count = checks.length, now = performance.now();
  assert.is(reader.visibility(now), null);
  await decided(reader, now);
  assert.ok(checks.length > count);
});

test("while checks fail, shows nothing and ends no stream, then continues", async (context) => {
  let failures = 3;
  const look: ReadVisibility = () =>
    failures-- > 0 ? Promise.reject(new Error("The database is away")) : Promise.resolve([createDecision("all")]);
  const { enter, warnings } = open(context, look), reader = enter();
  await reader.recheck();
  assert.equal([reader.visibility(-Infinity), reader.ended.aborted], [null, false]);
  await until(() => reader.visibility(-Infinity) === "all");
  assert.is(warnings.length, 1, "the failure is logged once");
});

test("checks more accesses than fit into one batch", async (context) => {
  const { looks: checks, enter } = open(context, all, 3000);
  const readers = Array.from({ length: 2500 }, (_, i) => enter({ credentialId: `${i}`, userId: `user ${i}` }));
  await Promise.all(readers.map((reader) => decided(reader)));
  assert.ok(checks.every((look) => look.split(",").length <= 1000));
});

test("refuses a user's 21st stream until another one ends", (context) => {
  const { enter } = open(context);
  const streams = Array.from({ length: 20 }, (_, i) => enter({ credentialId: `${i % 3}`, federationId: `${i}` }));
  assert.equal(codeOf(() => enter({ credentialId: "new" })), ["limited", "too_many_streams", true]);
  assert.is(codeOf(() => enter({ userId: "ann" })), null);
  streams[7]!.leave();
  streams[7]!.leave(); // this frees only one slot
  enter();
  assert.equal(codeOf(() => enter()), ["limited", "too_many_streams", true]);
});

test("limits the streams of a replica", (context) => {
  const { enter } = open(context, all, 2), first = enter({ userId: "ann" });
  enter({ userId: "bob" });
  assert.equal(codeOf(() => enter({ userId: "cal" })), ["limited", "too_many_streams", true]);
  first.leave();
  enter({ userId: "cal" });
});

test("shows nothing after the credential has expired, even without a check", async (context) => {
  let ends: (number | null)[] = [];
  const look: ReadVisibility = (_, followers) =>
    Promise.resolve(followers.map(() => createDecision(ends[0] === null ? null : "all", ends.shift() ?? Infinity)));
  ends = [50, null];
  const { looks: checks, enter } = open(context, look), reader = enter();
  await reader.recheck();
  await until(() => reader.visibility(-Infinity) === null);
  assert.equal([reader.ended.aborted, checks.length], [false, 1], "the visibility is not checked yet");
  await until(() => reader.ended.aborted);
  assert.is(checks.length, 2);
});

test("releases the slots of revoked access, even for streams that never started", async (context) => {
  let good = false;
  const look: ReadVisibility = (_, followers) =>
    Promise.resolve(followers.map(() => createDecision(good ? "all" : null)));
  const { enter } = open(context, look, 1), reader = enter();
  await reader.recheck();
  assert.ok(reader.ended.aborted);
  good = true;
  await decided(enter({ userId: "ann" }));
});

test("makes no queries without streams", async (context) => {
  const left = open(context), reader = left.enter();
  await decided(reader);
  await until(() => left.looks.length > 1); // the check is repeated
  reader.leave();
  const others = open(context);
  await decided(others.enter());
  const count = left.looks.length;
  await until(() => others.looks.length > 1);
  assert.is(left.looks.length, count);
});

test.run();
