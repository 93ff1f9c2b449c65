import { readFile, writeFile } from "node:fs/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { describeSchema } from "#test/support/describe-schema.ts";
import { openTestDatabase } from "#test/support/database.ts";

const GOLDEN = new URL("../../../golden/schema.sql", import.meta.url);
const test = suite("the schema after all migrations");

// UPDATE_GOLDEN=1 rewrites the file. Review the difference before you commit it.
test("matches test/golden/schema.sql", async () => {
  const db = await openTestDatabase();
  const schema = await describeSchema(db.sql);
  await db.close();
  if (process.env.UPDATE_GOLDEN) await writeFile(GOLDEN, schema);
  assert.fixture(schema, await readFile(GOLDEN, "utf8"));
});

test.run();
