import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mailNoticesToPage, selectPendingNotices } from "#lib/domains/deprecations/announce.ts";
import { DAY } from "#lib/base/time.ts";
import { createTestToken } from "#test/support/users.ts";
import { rejection } from "#test/support/until.ts";
import {
  addTokenCalls,
  announceNotices,
  createCaller,
  endpointNotice,
  limitNotice,
  listQueuedMails,
  type NoticeContext,
  useNoticeDatabase,
} from "./notice-scene.ts";
import { selectRows } from "#test/support/rows.ts";

const test = suite<NoticeContext>("announceToPage");
useNoticeDatabase(test);

test("emails each user the new announcements, with the calls of the user's own tokens", async (context) => {
  const ada = await createCaller(context, "ada"), bob = await createCaller(context, "bob");
  const second = await createTestToken(context.db, { id: ada.userId, email: ada.email }, "readonly");
  await addTokenCalls(context, ada, "GET /api/x/:id", 3);
  await addTokenCalls(context, ada, "POST /api/x/:id", 20);
  await addTokenCalls(context, second, "GET /api/x/:id", 4);
  await addTokenCalls(context, bob, "GET /api/y/:id", 9);
  assert.equal(await announceNotices(context, [endpointNotice("x"), limitNotice("60")]), { mailed: 2, next: null });
  const [first, other, ...none] = await listQueuedMails(context);
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

test("emails an announcement once, and later only new ones", async (context) => {
  await createCaller(context, "ada");
  await announceNotices(context, [endpointNotice("x")]);
  assert.equal(await announceNotices(context, [endpointNotice("x")]), { mailed: 0, next: null });
  await announceNotices(context, [endpointNotice("x"), endpointNotice("y"), endpointNotice("z")]);
  assert.equal((await listQueuedMails(context)).map(({ notices }) => notices.map(({ what }) => what)), [
    ["GET /api/x/{id}"],
    ["GET /api/y/{id}", "GET /api/z/{id}"],
  ]);
});

test("skips users without an active token until they create one", async (context) => {
  const { db } = context;
  await createCaller(context, "unverified", { verified: false });
  await createCaller(context, "disabled", { disabled: true });
  const revoked = await createCaller(context, "revoked"), expired = await createCaller(context, "expired");
  await db.sql("update api_tokens set revoked_at = now() where id = $1", [revoked.id]);
  await db.sql("update api_tokens set expires_at = now() + interval '1 day' where id = $1", [expired.id]);
  await createCaller(context, "ada");
  await db.shiftClock(2 * DAY);
  assert.is((await announceNotices(context, [endpointNotice("x")])).mailed, 1);
  const fresh = await createTestToken(db, { id: revoked.userId, email: revoked.email }, "readonly");
  assert.is((await announceNotices(context, [endpointNotice("x")])).mailed, 1);
  const [first, second] = await listQueuedMails(context);
  assert.equal([first!.to, second!.to], ["ada@example.org", "revoked@example.org"]);
  // The revoked token is not listed.
  assert.equal(second!.notices[0]!.tokens, [{ name: "readonly", prefix: fresh.prefix, calls: 0 }]);
});

test("counts the calls of the last 30 days", async (context) => {
  const { db } = context, ada = await createCaller(context, "ada");
  await addTokenCalls(context, ada, "GET /api/x/:id", 100);
  await db.shiftClock(DAY);
  await addTokenCalls(context, ada, "GET /api/x/:id", 10);
  await db.shiftClock(31 * DAY);
  await addTokenCalls(context, ada, "GET /api/x/:id", 1);
  await announceNotices(context, [endpointNotice("x"), limitNotice("60")]);
  const [letter] = await listQueuedMails(context);
  assert.equal(letter!.notices.map(({ tokens }) => tokens[0]!.calls), [11, 11]);
});

test("continues page by page and emails nobody twice", async (context) => {
  for (const name of ["a", "b", "c", "d", "e"]) await createCaller(context, name);
  const sizes: number[] = [];
  for (let after: string | null = ""; after !== null;) {
    const done: Awaited<ReturnType<typeof announceNotices>> = await announceNotices(context, [endpointNotice("x")], {
      after,
      limit: 2,
    });
    sizes.push(done.mailed);
    after = done.next;
  }
  assert.equal(sizes, [2, 2, 1]);
  assert.equal((await listQueuedMails(context)).map(({ to }) => to[0]).sort(), ["a", "b", "c", "d", "e"]);
});

test("reads only users after the last user of the previous page", async (context) => {
  const people = [await createCaller(context, "ada"), await createCaller(context, "bob")].map(({ userId }) => userId)
    .sort();
  assert.equal(await announceNotices(context, [endpointNotice("x")], { after: people[0]! }), { mailed: 1, next: null });
  assert.equal(
    (await selectRows(context.db, "deprecation_notices", {}, { columns: ["userId"] })).map((row) => row.userId),
    [
      people[1],
    ],
  );
});

test("emails nobody if the transaction is aborted", async (context) => {
  await createCaller(context, "ada");
  const cut = context.db.transact(async (tx) => {
    await mailNoticesToPage(tx, [endpointNotice("x")], { after: "", limit: 200 });
    throw new Error("cut off");
  });
  assert.is((await rejection(cut)).message, "cut off");
  assert.equal(await listQueuedMails(context), []);
  assert.is((await announceNotices(context, [endpointNotice("x")])).mailed, 1);
});

test("emails each user once when two replicas run at the same time", async (context) => {
  for (let i = 0; i < 30; i++) await createCaller(context, `user${i}`);
  const results = await Promise.all(
    [1, 2, 3].map(() => announceNotices(context, [endpointNotice("x"), endpointNotice("y")])),
  );
  assert.is(results.reduce((sum, each) => sum + each.mailed, 0), 30);
  const queued = await listQueuedMails(context);
  assert.is(queued.length, 30);
  assert.is(new Set(queued.map(({ to }) => to)).size, 30);
  assert.ok(queued.every(({ notices }) => notices.length === 2));
});

test("lists ten tokens and ten announcements, and counts the others", async (context) => {
  const { db } = context, ada = await createCaller(context, "ada");
  for (let i = 0; i < 12; i++) {
    await addTokenCalls(
      context,
      await createTestToken(db, { id: ada.userId, email: ada.email }, "cli"),
      "GET /api/0/:id",
      i + 1,
    );
  }
  await announceNotices(context, Array.from({ length: 13 }, (_, i) => endpointNotice(`${i}`)));
  const [letter] = await listQueuedMails(context);
  assert.equal([letter!.notices.length, letter!.more], [10, 3]);
  assert.equal(letter!.notices[0]!.tokens.map(({ calls }) => calls), [12, 11, 10, 9, 8, 7, 6, 5, 4, 3]);
  assert.equal(letter!.notices[0]!.others, { tokens: 3, calls: 3 });
  assert.equal(
    (await announceNotices(context, Array.from({ length: 13 }, (_, i) => endpointNotice(`${i}`)))).mailed,
    0,
  );
});

test.run();

const times = suite("selectPendingNotices");

times("selects announcements that are announced and not in effect yet", () => {
  const now = new Date("2026-11-21T12:00:00Z"), at = (ms: number) => new Date(now.getTime() + ms);
  const notices = [
    endpointNotice("today", { since: now }),
    endpointNotice("soon", { since: at(1) }),
    endpointNotice("over", { since: at(-40 * DAY), sunset: now }),
    limitNotice("last", { since: at(-40 * DAY), from: at(1) }),
    limitNotice("holds", { since: at(-40 * DAY), from: now }),
  ];
  assert.equal(selectPendingNotices(notices, now).map(({ id }) => id), ["endpoint today", "limit last"]);
});

times.run();
