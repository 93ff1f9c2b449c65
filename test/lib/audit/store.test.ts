/** Reading the audit log: newest first, filters that narrow, and pages that never skip a tie. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SYSTEM } from "#lib/audit/asker.ts";
import { insertAudit, readAudit } from "#lib/audit/store.ts";
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
  await context.db.transact((tx) => insertAudit(tx, SYSTEM, entries));
});
test.after((context) => context.db.close());

test("pages of one, each before the last one's time, give every event once", async ({ db }) => {
  const seen: string[] = [];
  let before: Date | undefined;
  for (;;) {
    const page = await readAudit(db.rows, {}, { limit: 1, before });
    if (page.length === 0) break;
    seen.push(...page.map((event) => event.objectId));
    before = page.at(-1)!.at;
  }
  assert.equal([...seen].sort(), ["u0", "u1", "u2", "u3", "u4"]);
  assert.is(seen[0], "u4");
  assert.is(seen.at(-1), "u0");
});

test("a page runs past its limit by the ties of its last event alone", async ({ db }) => {
  assert.is((await readAudit(db.rows, {}, { limit: 2 })).length, 4);
  assert.is((await readAudit(db.rows, {}, { limit: 4 })).length, 4);
  assert.is((await readAudit(db.rows, {}, { limit: 5 })).length, 5);
});

test("every filter narrows", async ({ db }) => {
  assert.is((await readAudit(db.rows, { kind: "auth_logout" }, { limit: 9 })).length, 1);
  assert.is((await readAudit(db.rows, { objectId: "u2", kind: "auth_login" }, { limit: 9 })).length, 1);
  assert.is((await readAudit(db.rows, { objectId: "u2", kind: "auth_logout" }, { limit: 9 })).length, 0);
  assert.is((await readAudit(db.rows, { actorId: "system" }, { limit: 9, before: AT(2) })).length, 1);
});

test.run();
