/** Tests reading the audit log: order, filters, and pages with equal times. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import * as v from "valibot";
import { BeforeCursor, type PageCursor } from "#lib/base/schema.ts";
import { SYSTEM_REQUESTER } from "#lib/audit/requester.ts";
import { insertAuditEvents, listAuditEvents } from "#lib/audit/store.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";

const test = suite<{ db: TestDatabase }>("readAudit");

const AT = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second));

test.before(async (context) => {
  context.db = await openTestDatabase();
  // Seconds 1, 2, 2, 2, 3: three that share a timestamp.
  const entries = [1, 2, 2, 2, 3].map((second, i) => ({
    entry: {
      kind: i === 4 ? "auth_logout" as const : "auth_login" as const,
      objectType: "user" as const,
      objectId: `u${i}`,
    },
    at: AT(second),
  }));
  await context.db.transact((tx) => insertAuditEvents(tx, SYSTEM_REQUESTER, entries));
});
test.after((context) => context.db.close());

test("pages of one, each after the last one's cursor, give every event once", async ({ db }) => {
  const seen: string[] = [];
  let before: PageCursor | undefined;
  for (;;) {
    const { items, next } = await listAuditEvents(db.rows, {}, { limit: 1, before });
    seen.push(...items.map((event) => event.objectId));
    if (next === null) break;
    before = v.parse(BeforeCursor, next);
  }
  assert.equal([...seen].sort(), ["u0", "u1", "u2", "u3", "u4"]);
  assert.is(seen[0], "u4");
  assert.is(seen.at(-1), "u0");
});

test("a page ends after its limit, also between events of one time", async ({ db }) => {
  for (const limit of [1, 2, 3, 4]) {
    const { items, next } = await listAuditEvents(db.rows, {}, { limit });
    assert.equal([items.length, next === null], [limit, false]);
  }
  const { items, next } = await listAuditEvents(db.rows, {}, { limit: 5 });
  assert.equal([items.length, next], [5, null]);
});

test("every filter narrows", async ({ db }) => {
  assert.is((await listAuditEvents(db.rows, { kind: "auth_logout" }, { limit: 9 })).items.length, 1);
  assert.is((await listAuditEvents(db.rows, { objectId: "u2", kind: "auth_login" }, { limit: 9 })).items.length, 1);
  assert.is((await listAuditEvents(db.rows, { objectId: "u2", kind: "auth_logout" }, { limit: 9 })).items.length, 0);
  assert.is(
    (await listAuditEvents(db.rows, { actorId: "system" }, { limit: 9, before: { at: AT(2) } })).items.length,
    1,
  );
});

test.run();
