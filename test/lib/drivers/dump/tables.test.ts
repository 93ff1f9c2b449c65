import { suite } from "uvu";
import * as assert from "uvu/assert";
import { TABLE_RESTORES } from "#lib/drivers/dump/tables.ts";
import { openTestDatabase } from "#test/support/database.ts";

const test = suite("TABLE_RESTORES");

test("covers every table", async () => {
  const db = await openTestDatabase();
  const tables = await db.sql(
    "select relname from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace",
  );
  await db.close();
  const names = tables.map(({ relname }) => relname).filter((name) => name !== "migrations");
  assert.equal(Object.keys(TABLE_RESTORES).sort(), names.sort());
});

test.run();
