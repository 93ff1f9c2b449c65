/** Tests that one replica counts the fleet. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openLog, silentLog } from "#lib/base/log.ts";
import { watchFleet } from "#lib/domains/fleet/watch.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { until } from "#test/support/until.ts";

const test = suite<{ db: TestDatabase }>("watchFleet");
test.before.each(async (context) => {
  context.db = await openTestDatabase();
});
test.after.each(({ db }) => db.close());

const SOON = 20;

test("one of several replicas counts, and when its connection is gone another one does", async ({ db }) => {
  const first = await db.openAgain(), second = await db.openAgain();
  const leader = watchFleet({ db: first, log: silentLog }, SOON);
  await until(() => leader.last());
  const other = watchFleet({ db: second, log: silentLog }, SOON);
  for (let looks = 0; looks < 3; looks++) {
    await other.whenCounted();
    assert.is(other.last(), null);
  }
  await leader.close();
  await first.close();
  await until(() => other.last());
  await other.close();
});

test("nobody counts what the database does not tell, and the log says so once", async ({ db }) => {
  const lines: string[] = [], log = openLog({ level: "debug", format: "json", write: (line) => lines.push(line) });
  let down = false;
  const control = {
    query: (text: string) => down ? Promise.reject(new Error("It is away")) : db.control.query(text),
  };
  const watch = watchFleet({ db: { ...db, control }, log }, SOON);
  await until(() => watch.last());
  down = true;
  await until(() => watch.last() === null);
  await watch.whenCounted();
  down = false;
  await until(() => watch.last());
  await watch.close();
  assert.is(lines.filter((line) => line.includes("Cannot count the fleet")).length, 1);
});

test.run();
