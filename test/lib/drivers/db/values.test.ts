import { sql } from "kysely";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { rejection } from "#test/support/until.ts";

const test = suite<{ db: TestDatabase }>("POSTGRES_TYPES");

test.before(async (context) => {
  context.db = await openTestDatabase();
});
test.after(async ({ db }) => await db.close());

/** Returns the value as the server returns it, and the server's text of it. */
async function there(db: TestDatabase, value: unknown, type: string): Promise<{ back: unknown; text: string | null }> {
  const cast = sql.raw(type);
  const { rows } = await sql<{ back: unknown; text: string | null }>`
    select ${value}::${cast} as back, ${value}::${cast}::text as text`.execute(db.rows);
  return rows[0]!;
}

test("writes JSON text as JSON and reads it parsed", async ({ db }) => {
  for (const value of [{ a: [1, { b: null }] }, [], "text", 7, null, true, { quote: `"'\\`, deep: "…𝄞" }]) {
    const { back } = await there(db, JSON.stringify(value), "jsonb");
    assert.equal(back, value);
  }
  const { rows } = await sql`select jsonb_typeof(${JSON.stringify({ a: 1 })}::jsonb) as kind`.execute(db.rows);
  assert.equal(rows, [{ kind: "object" }]);
});

test("keeps every character in text arrays", async ({ db }) => {
  for (
    const value of [[], ["a"], [`"`, "\\", "{", "}", ",", "", " ", "NULL", "null", "a b", "\n\t", "ü𝄞", `\\"`], [
      "a",
      null,
    ]]
  ) {
    assert.equal((await there(db, value, "text[]")).back, value);
  }
});

test("reads other arrays like their items", async ({ db }) => {
  const moment = new Date("2026-02-03T04:05:06.789Z");
  assert.equal((await there(db, [1, -2], "int[]")).back, [1, -2]);
  assert.equal((await there(db, ["9007199254740993"], "bigint[]")).back, ["9007199254740993"]);
  assert.equal((await there(db, [true, false], "boolean[]")).back, [true, false]);
  assert.equal((await there(db, [moment], "timestamptz[]")).back, [moment]);
  const bytes = [new Uint8Array([0, 34, 92, 255]), new Uint8Array()];
  assert.equal((await there(db, bytes, "bytea[]")).back, bytes);
});

test("reads times with the text that they have in responses", async ({ db }) => {
  for (
    const [text, expected = `${text}Z`] of [
      ["2026-02-03T04:05:06.789"],
      ["2026-12-31T23:59:59.999999", "2026-12-31T23:59:59.999Z"],
      ["2026-02-03T04:05:06", "2026-02-03T04:05:06.000Z"],
      ["2026-02-03T04:05:06.7", "2026-02-03T04:05:06.700Z"],
      ["2026-02-03T04:05:06.070", "2026-02-03T04:05:06.070Z"],
      ["2026-02-03T04:05:06.00001", "2026-02-03T04:05:06.000Z"],
      ["0031-02-03T04:05:06.789"],
      ["9999-12-31T23:59:59.999"],
    ] as const
  ) {
    const { back } = await there(db, `${text}Z`, "timestamptz"), time = back as Date;
    assert.is(time.toISOString(), expected);
    assert.is(JSON.stringify({ time }), JSON.stringify({ time: expected }));
    assert.equal(back, new Date(expected));
    assert.is(new Date(time).toISOString(), expected);
  }
});

test("reads a bigint as text, and accepts a number, bigint or text", async ({ db }) => {
  for (const value of [42, 42n, "42"]) assert.is((await there(db, value, "bigint")).back, "42");
  assert.is((await there(db, "9223372036854775807", "bigint")).back, "9223372036854775807");
});

test("writes a number to a text column as digits", async ({ db }) => {
  assert.is((await there(db, 5, "text")).back, "5");
});

test("reads bytes unchanged", async ({ db }) => {
  const all = Uint8Array.from({ length: 256 }, (_, i) => i);
  const { back } = await there(db, all, "bytea");
  assert.instance(back, Uint8Array);
  assert.equal([...back as Uint8Array], [...all]);
  const part = (await there(db, all.subarray(10, 12), "bytea")).back as Uint8Array;
  assert.equal([...part], [10, 11]);
});

test("keeps the milliseconds of timestamps, and accepts a Date or text", async ({ db }) => {
  const moment = new Date("2026-02-03T04:05:06.789Z");
  assert.equal((await there(db, moment, "timestamptz(3)")).back, moment);
  assert.equal((await there(db, "2026-02-03T04:05:06.789Z", "timestamptz(3)")).back, moment);
});

test("accepts booleans as values and text, and null in every type", async ({ db }) => {
  for (const yes of [true, "true", "t"]) assert.is((await there(db, yes, "boolean")).back, true);
  for (const no of [false, "false"]) assert.is((await there(db, no, "boolean")).back, false);
  for (const type of ["text", "jsonb", "bytea", "text[]", "bigint", "timestamptz", "boolean"]) {
    assert.is((await there(db, null, type)).back, null);
  }
});

test("treats SQL in values as data", async ({ db }) => {
  for (const value of ["'; drop table users; --", "$1", "\\", "\ud800".toWellFormed(), "${x}", "%s", "e\u0301"]) {
    assert.is((await there(db, value, "text")).back, value);
  }
});

test("throws the server's error and keeps the connection", async ({ db }) => {
  const cases: [unknown, string, string][] = [
    ["a\0b", "text", "22021"],
    [JSON.stringify("a\0b"), "jsonb", "22P05"],
    ['"\\ud800"', "jsonb", "22P02"],
    ["{", "jsonb", "22P02"],
    ["9".repeat(30), "bigint", "22003"],
    ["yesterday-ish", "timestamptz", "22007"],
    [new Date(8.64e15), "timestamptz", "22009"],
  ];
  for (const [value, type, state] of cases) {
    const failure = await rejection(there(db, value, type));
    assert.is(failure.code, state, `${JSON.stringify(value)} as ${type} is ${failure.code}`);
  }
  assert.is(db.stats().open, 1);
});

test.run();
