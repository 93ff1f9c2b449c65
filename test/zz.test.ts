import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openTestDatabase } from "#test/support/database.ts";
import { sql } from "kysely";
const test = suite("x");
test("a", async () => {
  let t = performance.now();
  const db = await openTestDatabase();
  console.log("open", performance.now() - t);
  t = performance.now();
  const db2 = await openTestDatabase();
  console.log("open2", performance.now() - t);
  t = performance.now();
  console.log(await db.now());
  await db.shiftClock(3600e3);
  console.log(await db.now());
  await db.transact(async (tx) => {
    await tx.insertInto("users").values({ id: "u1", email: "a@b", display_name: "n" }).execute();
    tx.wakes.add("jobs");
  });
  console.log(await db.rows.selectFrom("users").selectAll().execute(), db.stats());
  const r = await sql`select ${['a"b', "c\\d", "{,}", null, "NULL", ""]}::text[] as t, ${
    JSON.stringify({ a: [1] })
  }::jsonb as j, ${new Uint8Array([
    1,
    2,
    255,
  ])}::bytea as b, ${true}::bool as o, ${9007199254740993n}::bigint as n, ${5}::text as five, ${new Date(
    0,
  )}::timestamptz(3) as d, ${null}::text as nul, ${[]}::text[] as e`.execute(db.rows);
  console.log(r.rows);
  t = performance.now();
  await db.close();
  console.log("close", performance.now() - t);
  await db2.close();
});
test.run();
