import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openPool } from "#lib/drivers/db/pool.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { openProxy } from "#test/support/proxy.ts";
import { rejection } from "#test/support/until.ts";

const test = suite<{ db: TestDatabase }>("openPool, busy database");
test.before(async (context) => void (context.db = await openTestDatabase()));
test.after(({ db }) => db.close());

test("reports the database as busy if only a new connection fails", async ({ db }) => {
  const proxy = await openProxy(db.url);
  const pool = openPool({ url: proxy.url, name: "pool-busy", size: 2, settings: {}, waitLimit: 300 });
  const lease = await pool.acquire();
  proxy.refuse();
  let over = false;
  const answers = (async () => {
    while (!over) await lease.query("select 1", [], { limit: 20_000 });
  })();
  assert.is((await rejection(pool.acquire())).code, "database_busy");
  over = true;
  await answers;
  lease.release();
  await pool.close();
  await proxy.close();
});

test.run();
