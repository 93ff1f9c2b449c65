/** Tests that one replica counts the fleet. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createLog, SILENT_LOG } from "#lib/base/log.ts";
import { startFleetCounter } from "#lib/domains/fleet/watch.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { until } from "#test/support/until.ts";

const test = suite<{ db: TestDatabase }>("startFleetCounter");
test.before.each(async (context) => {
  context.db = await openTestDatabase();
});
test.after.each(({ db }) => db.close());

const SOON = 20;

test("counts on one replica, and on another one after its connection is lost", async ({ db }) => {
  const first = await db.openAgain(), second = await db.openAgain();
  const leader = startFleetCounter({ db: first, log: SILENT_LOG }, SOON);
  await until(() => leader.last());
  const other = startFleetCounter({ db: second, log: SILENT_LOG }, SOON);
  for (let checks = 0; checks < 3; checks++) {
    await other.whenCounted();
    assert.is(other.last(), null);
  }
  await leader.close();
  await first.close();
  await until(() => other.last());
  await other.close();
});

test("returns nothing while the database is unavailable, and logs it once", async ({ db }) => {
  const lines: string[] = [], log = createLog({ level: "debug", format: "json", write: (line) => lines.push(line) });
  let down = false;
  const control = {
    query: (text: string) => down ? Promise.reject(new Error("It is away")) : db.control.query(text),
  };
  const watch = startFleetCounter({ db: { ...db, control }, log }, SOON);
  await until(() => watch.last());
  down = true;
  await until(() => watch.last() === null);
  await watch.whenCounted();
  down = false;
  await until(() => watch.last());
  await watch.close();
  assert.is(lines.filter((line) => line.includes("Could not count spokes, templates and jobs")).length, 1);
});

test.run();
