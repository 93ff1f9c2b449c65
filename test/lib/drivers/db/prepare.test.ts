/** Tests queries that are built once. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sql } from "kysely";
import { prepareQuery } from "#lib/drivers/db/prepare.ts";
import type { RowQueries } from "#lib/drivers/db/database.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { createTestUser } from "#test/support/users.ts";
import { recordStatements } from "#test/support/record-statements.ts";

const test = suite<{ db: TestDatabase }>("prepare");
test.before(async (context) => void (context.db = await openTestDatabase()));
test.after(({ db }) => db.close());

test("builds a query once and runs it with new values", async ({ db }) => {
  let built = 0;
  const find = prepareQuery((rows: RowQueries, { email, among }: { email: string; among: readonly string[] }) => {
    built++;
    return rows.selectFrom("users").select(["id", "email"]).where("email", "=", email)
      .where(sql<boolean>`id = any(${among}::text[])`);
  });
  const ada = await createTestUser(db, "ada"), bob = await createTestUser(db, "bob"), among = [ada.id];
  assert.equal(await find(db.rows, { email: ada.email, among }), [ada]);
  assert.equal(await find(db.rows, { email: bob.email, among }), []);
  assert.equal(await find(db.rows, { email: bob.email, among: [ada.id, bob.id] }), [bob]);
  assert.is(built, 1);
});

test("runs in the caller's transaction", async ({ db }) => {
  const count = prepareQuery((rows: RowQueries, { name }: { name: string }) =>
    rows.selectFrom("users").select((is) => is.fn.countAll<string>().as("n")).where("displayName", "=", name)
  );
  const inside = await db.transact(async (tx) => {
    await tx.updateTable("users").set({ displayName: "Countess" }).where("displayName", "=", "ada").execute();
    const [seen] = await count(tx, { name: "Countess" });
    assert.equal(await count(db.rows, { name: "Countess" }), [{ n: "0" }]);
    return seen;
  });
  assert.equal(inside, { n: "1" });
});

test("passes the query with its values to plugins", async ({ db }) => {
  const find = prepareQuery((rows: RowQueries, { id }: { id: string }) =>
    rows.selectFrom("users").select("id").where("id", "=", id)
  );
  const statements: string[] = [], { rows } = recordStatements(db, statements);
  await find(db.rows, { id: "before" });
  await find(rows, { id: "with it" });
  assert.equal(statements, ["SelectQueryNode"]);
});

test.run();
