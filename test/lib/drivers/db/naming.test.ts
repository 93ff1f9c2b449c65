import { sql } from "kysely";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";

const test = suite<{ db: TestDatabase }>("column names");

test.before(async (context) => {
  context.db = await openTestDatabase();
});
test.after(({ db }) => db?.close());

test("translates names in every part of a query and in its rows", async ({ db }) => {
  const values = { id: "usr_a", email: "a@example.org", displayName: "A" };
  const made = await db.rows.insertInto("users").values(values).returningAll().executeTakeFirstOrThrow();
  assert.equal([made.displayName, made.emailVerifiedAt, "display_name" in made], ["A", null, false]);
  const query = db.rows.selectFrom("users as person").select(["person.displayName as shownName", "createdAt"])
    .where("person.displayName", "=", "A").orderBy("person.createdAt");
  assert.is(
    query.compile().sql,
    `select "person"."display_name" as "shown_name", "created_at" from "users" as "person" ` +
      `where "person"."display_name" = $1 order by "person"."created_at"`,
  );
  assert.equal(await query.execute(), [{ shownName: "A", createdAt: made.createdAt }]);
});

test("translates names in rows of raw SQL, but not inside JSON", async ({ db }) => {
  const row = { oneTwo: 1, json: { one_two: 2 } };
  const simple = await sql`select 1 as one_two, '{"one_two": 2}'::jsonb as json`.execute(db.rows);
  const prepared = await sql`select ${1}::int as one_two, '{"one_two": 2}'::jsonb as json`.execute(db.rows);
  assert.equal([simple.rows, prepared.rows], [[row], [row]]);
});

test.run();
