/** Tests queries that are built once. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sql } from "kysely";
import { prepareQuery, prepareReadOnSharedConnection } from "#lib/drivers/db/prepare.ts";
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

test("reads of the same moment give the same rows as single reads", async ({ db }) => {
  const find = prepareReadOnSharedConnection(
    (rows: RowQueries, key: { name?: string; since?: Date; limit: number }) => {
      let query = rows.selectFrom("users").select(["email", "id"]).where("displayName", "<>", "nobody").orderBy(
        "email",
      );
      if (key.name) query = query.where("displayName", "=", key.name);
      if (key.since) query = query.where("createdAt", ">=", key.since);
      return query.modifyEnd(sql`limit ${key.limit}`);
    },
  );
  for (const name of ["same-1", "same-2", "same-3"]) await createTestUser(db, name);
  await db.sql("update users set display_name = 'same' where display_name like 'same-%'");
  const keys = [{ name: "same", limit: 2 }, { name: "none", limit: 2 }, { name: "same", limit: 5 }, { limit: 1 }, {
    since: new Date(0),
    limit: 4,
  }, { since: new Date("9999-01-01T00:00:00Z"), limit: 4 }];
  const single = [];
  for (const key of keys) single.push(await find(db.rows, key));
  assert.equal(single.map((rows) => rows.length), [2, 0, 3, 1, 4, 0]);
  for (let round = 0; round < 7; round++) { // PostgreSQL changes the plan after five executions
    assert.equal(await Promise.all(keys.map((key) => find(db.rows, key))), single);
  }
});

test("reads with lists keep the rows of each caller apart", async ({ db }) => {
  const find = prepareReadOnSharedConnection((rows: RowQueries, { ids }: { ids: readonly string[] }) =>
    rows.selectFrom("users").select(["id", "email"]).where(sql<boolean>`id = any(${ids}::text[])`).orderBy("email")
  );
  const [one, two, three] = [
    await createTestUser(db, "l-1"),
    await createTestUser(db, "l-2"),
    await createTestUser(db, "l-3"),
  ];
  const found = await Promise.all([[one.id, two.id], [three.id, "nobody"]].map((ids) => find(db.rows, { ids })));
  assert.equal(found, [[one, two], [three]]);
});

test("reads that are not fast use a connection of their own", async ({ db }) => {
  const shared: unknown[] = [];
  const find = prepareReadOnSharedConnection(
    (rows: RowQueries, { id }: { id: string }) => rows.selectFrom("users").select("id").where("id", "=", id),
    { batched: false, isFast: ({ id }) => id === "fast" },
  );
  const readShared: RowQueries["readShared"] = (...args) => (shared.push(args[2]), db.rows.readShared!(...args));
  const watched = Object.assign(
    db.rows.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: ({ result }) => Promise.resolve(result),
    }),
    { readShared },
  );
  await find(watched, { id: "fast" });
  await find(watched, { id: "slow" });
  assert.equal(shared, [undefined]);
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
