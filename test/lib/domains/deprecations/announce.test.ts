import { suite } from "uvu";
import * as assert from "uvu/assert";
import { announceToPage, selectCurrentNotices } from "#lib/domains/deprecations/announce.ts";
import { DAY } from "#lib/base/time.ts";
import { createTestToken } from "#test/support/users.ts";
import { rejection } from "#test/support/until.ts";
import { called, caller, type Context, ending, letters, limit, tell, withPeople } from "./scene.ts";

const test = suite<Context>("announceTo");
withPeople(test);

test("tells each of what is new to him, with his own tokens and their calls", async (context) => {
  const ada = await caller(context, "ada"), bob = await caller(context, "bob");
  const second = await createTestToken(context.db, { id: ada.userId, email: ada.email }, "readonly");
  await called(context, ada, "GET /api/x/:id", 3);
  await called(context, ada, "POST /api/x/:id", 20);
  await called(context, second, "GET /api/x/:id", 4);
  await called(context, bob, "GET /api/y/:id", 9);
  assert.equal(await tell(context, [ending("x"), limit("60")]), { mailed: 2, next: null });
  const [first, other, ...none] = await letters(context);
  assert.equal(none, []);
  assert.equal([first!.to, first!.lane, first!.more], ["ada@example.org", "bulk-mail", 0]);
  const [end, bound] = first!.notices;
  assert.equal([end!.kind, end!.what, end!.note], ["endpoint", "GET /api/x/{id}", "Use something else than x"]);
  assert.equal(end!.tokens, [
    { name: "readonly", prefix: second.prefix, calls: 4 },
    { name: "cli", prefix: ada.prefix, calls: 3 },
  ]);
  assert.equal([bound!.kind, bound!.what], ["limit", "Requests: 60"]);
  assert.equal(bound!.tokens.map(({ calls }) => calls), [23, 4]);
  assert.is(other!.to, "bob@example.org");
  assert.equal(
    other!.notices.map(({ tokens }) => tokens),
    [0, 9].map((calls) => [{ name: "cli", prefix: bob.prefix, calls }]),
  );
  assert.not.match(JSON.stringify(other), ada.prefix);
});

test("tells once, and later only what is new since", async (context) => {
  await caller(context, "ada");
  await tell(context, [ending("x")]);
  assert.equal(await tell(context, [ending("x")]), { mailed: 0, next: null });
  await tell(context, [ending("x"), ending("y"), ending("z")]);
  assert.equal((await letters(context)).map(({ notices }) => notices.map(({ what }) => what)), [
    ["GET /api/x/{id}"],
    ["GET /api/y/{id}", "GET /api/z/{id}"],
  ]);
});

test("leaves out who has no token that works, until he has one", async (context) => {
  const { db } = context;
  await caller(context, "unverified", { verified: false });
  await caller(context, "disabled", { disabled: true });
  const revoked = await caller(context, "revoked"), expired = await caller(context, "expired");
  await db.sql("update api_tokens set revoked_at = now() where id = $1", [revoked.id]);
  await db.sql("update api_tokens set expires_at = now() + interval '1 day' where id = $1", [expired.id]);
  await caller(context, "ada");
  await db.shiftClock(2 * DAY);
  assert.is((await tell(context, [ending("x")])).mailed, 1);
  const fresh = await createTestToken(db, { id: revoked.userId, email: revoked.email }, "readonly");
  assert.is((await tell(context, [ending("x")])).mailed, 1);
  const [first, second] = await letters(context);
  assert.equal([first!.to, second!.to], ["ada@example.org", "revoked@example.org"]);
  // The revoked token is not listed.
  assert.equal(second!.notices[0]!.tokens, [{ name: "readonly", prefix: fresh.prefix, calls: 0 }]);
});

test("counts the calls of the last 30 days", async (context) => {
  const { db } = context, ada = await caller(context, "ada");
  await called(context, ada, "GET /api/x/:id", 100);
  await db.shiftClock(DAY);
  await called(context, ada, "GET /api/x/:id", 10);
  await db.shiftClock(31 * DAY);
  await called(context, ada, "GET /api/x/:id", 1);
  await tell(context, [ending("x"), limit("60")]);
  const [letter] = await letters(context);
  assert.equal(letter!.notices.map(({ tokens }) => tokens[0]!.calls), [11, 11]);
});

test("goes on page by page, and tells nobody twice", async (context) => {
  for (const name of ["a", "b", "c", "d", "e"]) await caller(context, name);
  const sizes: number[] = [];
  for (let after: string | null = ""; after !== null;) {
    const done: Awaited<ReturnType<typeof tell>> = await tell(context, [ending("x")], { after, limit: 2 });
    sizes.push(done.mailed);
    after = done.next;
  }
  assert.equal(sizes, [2, 2, 1]);
  assert.equal((await letters(context)).map(({ to }) => to[0]).sort(), ["a", "b", "c", "d", "e"]);
});

test("looks only at people behind those it has come by", async (context) => {
  const people = [await caller(context, "ada"), await caller(context, "bob")].map(({ userId }) => userId).sort();
  assert.equal(await tell(context, [ending("x")], { after: people[0]! }), { mailed: 1, next: null });
  assert.equal((await context.db.sql("select user_id from deprecation_notices")).map((row) => row.userId), [
    people[1],
  ]);
});

test("tells nobody by half when it is cut off", async (context) => {
  await caller(context, "ada");
  const cut = context.db.transact(async (tx) => {
    await announceToPage(tx, [ending("x")], { after: "", limit: 200 });
    throw new Error("cut off");
  });
  assert.is((await rejection(cut)).message, "cut off");
  assert.equal(await letters(context), []);
  assert.is((await tell(context, [ending("x")])).mailed, 1);
});

test("tells each once when two replicas tell at once", async (context) => {
  for (let i = 0; i < 30; i++) await caller(context, `user${i}`);
  const told = await Promise.all([1, 2, 3].map(() => tell(context, [ending("x"), ending("y")])));
  assert.is(told.reduce((sum, each) => sum + each.mailed, 0), 30);
  const queued = await letters(context);
  assert.is(queued.length, 30);
  assert.is(new Set(queued.map(({ to }) => to)).size, 30);
  assert.ok(queued.every(({ notices }) => notices.length === 2));
});

test("names ten tokens and ten notices, and counts the rest", async (context) => {
  const { db } = context, ada = await caller(context, "ada");
  for (let i = 0; i < 12; i++) {
    await called(
      context,
      await createTestToken(db, { id: ada.userId, email: ada.email }, "cli"),
      "GET /api/0/:id",
      i + 1,
    );
  }
  await tell(context, Array.from({ length: 13 }, (_, i) => ending(`${i}`)));
  const [letter] = await letters(context);
  assert.equal([letter!.notices.length, letter!.more], [10, 3]);
  assert.equal(letter!.notices[0]!.tokens.map(({ calls }) => calls), [12, 11, 10, 9, 8, 7, 6, 5, 4, 3]);
  assert.equal(letter!.notices[0]!.others, { tokens: 3, calls: 3 });
  assert.equal((await tell(context, Array.from({ length: 13 }, (_, i) => ending(`${i}`)))).mailed, 0);
});

test.run();

const times = suite("current");

times("is what has been announced and has not come yet", () => {
  const now = new Date("2026-11-21T12:00:00Z"), at = (ms: number) => new Date(now.getTime() + ms);
  const notices = [
    ending("today", { since: now }),
    ending("soon", { since: at(1) }),
    ending("over", { since: at(-40 * DAY), sunset: now }),
    limit("last", { since: at(-40 * DAY), from: at(1) }),
    limit("holds", { since: at(-40 * DAY), from: now }),
  ];
  assert.equal(selectCurrentNotices(notices, now).map(({ id }) => id), ["endpoint today", "limit last"]);
});

times.run();
