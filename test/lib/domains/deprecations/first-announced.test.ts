import { suite } from "uvu";
import * as assert from "uvu/assert";
import { recordFirstAnnouncements } from "#lib/domains/deprecations/store.ts";
import type { AnnouncedChange } from "#lib/base/notice.ts";
import { DAY } from "#lib/base/time.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { createTestUser } from "#test/support/users.ts";
import { insertRow } from "#test/support/rows.ts";

const test = suite<{ db: TestDatabase }>("recordFirstAnnouncements");
test.before.each(async (context) => {
  context.db = await openTestDatabase();
});
test.after.each(({ db }) => db.close());

const notice = (id: string): AnnouncedChange => ({
  kind: "limit",
  id,
  title: "",
  since: new Date(0),
  from: new Date(0),
  note: "",
});

test("returns the first start with the announcement, on every replica and later", async ({ db }) => {
  const before = await db.now();
  const starts = await Promise.all([1, 2, 3].map(() => recordFirstAnnouncements(db.rows, [notice("a")])));
  const first = starts[0]!.get("a")!;
  assert.ok(first >= before);
  for (const start of starts) assert.equal(start.get("a"), first);
  await db.shiftClock(9 * DAY);
  const later = await recordFirstAnnouncements(db.rows, [notice("a"), notice("b")]);
  assert.equal(later.get("a"), first);
  assert.ok(later.get("b")!.getTime() >= first.getTime() + 9 * DAY);
});

test("returns the first mail's time if an earlier release has emailed the announcement", async ({ db }) => {
  const { id } = await createTestUser(db, "ada"), at = new Date("2026-11-01T10:00:00.000Z");
  await insertRow(db, "deprecation_notices", { noticeId: "a", userId: id, notifiedAt: at });
  assert.equal((await recordFirstAnnouncements(db.rows, [notice("a")])).get("a"), at);
});

test("does not query the database without announcements", async ({ db }) => {
  await db.sql("drop table deprecation_announcements");
  assert.is((await recordFirstAnnouncements(db.rows, [])).size, 0);
});

test.run();
