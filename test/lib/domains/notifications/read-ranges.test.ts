/** Tests that unread events are found without scanning read ones, whatever the order in which they were read. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Database, Rows, Tx } from "#lib/drivers/db/database.ts";
import { listNotifications } from "#lib/domains/notifications/list.ts";
import { markAllRead } from "#lib/domains/notifications/read-all.ts";
import type { Reader } from "#lib/domains/notifications/objects.ts";
import { markRead } from "#lib/domains/notifications/read.ts";
import { countsAreExact } from "#test/lib/domains/notifications/recount.ts";
import { marker, tell, writeEvents } from "#test/lib/domains/notifications/tell.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { addHubAdmin, createTestUser } from "#test/support/users.ts";
import { openQueryExplainer } from "#test/support/query-plans.ts";
import { insertHub, insertSpoke } from "#test/support/insert-rows.ts";

const EVENTS = 240;
const page = { limit: 20, unreadOnly: true, before: undefined };
const test = suite<{ db: TestDatabase }>("unread ones");

test.before(async (context) => {
  context.db = await openTestDatabase();
});
test.after(({ db }) => db.close());

/** Creates a hub admin and a hub with `count` events. Returns their IDs, oldest first. */
async function arrange(db: TestDatabase, name: string) {
  const person = await createTestUser(db, name), hub = await insertHub(db, person.id, name);
  const spoke = await insertSpoke(db, person.id, hub, name);
  await addHubAdmin(db, person, hub);
  await writeEvents(db, { hub, spoke }, Array.from({ length: EVENTS }, (_, i) => i));
  const reader: Reader = { role: "hub_admin", userId: person.id };
  const rows = await db.sql("select id from audit_events where federation_id = $1 order by at", [hub]);
  return { reader, ids: rows.map(({ id }) => id as string) };
}

async function rangesOf(db: TestDatabase, { userId }: Reader): Promise<number> {
  return (await db.sql("select from notification_read_ranges where user_id = $1", [userId])).length;
}

const ORDERS: Readonly<Record<string, (ids: readonly string[]) => string[]>> = {
  "from the newest": (ids) => [...ids].reverse(),
  "from the oldest": (ids) => [...ids],
  "here and there": (ids) => [...ids].sort(), // the IDs sort in a random order
};

for (const [order, sort] of Object.entries(ORDERS)) {
  test(`are found at once where all others were read ${order}`, async ({ db }) => {
    const { reader, ids } = await arrange(db, order.split(" ").join("-"));
    const left = [ids[0]!, ids[EVENTS / 2]!];
    for (const id of sort(ids)) if (!left.includes(id)) await markRead(db, marker(reader), id);
    const found = (await listNotifications(db.rows, reader, page)).items;
    assert.equal(found.map(({ id }) => id), left.reverse());
    assert.is(await rangesOf(db, reader), 2);
    await countsAreExact(db);
    const explainer = openQueryExplainer(db.url);
    const [plan] = await explainer.explain((rows) => listNotifications(rows, reader, page));
    await explainer.close();
    // Each read event would cost 3 or more.
    assert.ok(plan!.buffers < EVENTS, `${plan!.buffers} pages\n${plan!.lines.join("\n")}`);
    for (const id of left) await markRead(db, marker(reader), id);
    assert.equal((await listNotifications(db.rows, reader, page)).items, []);
    assert.is(await rangesOf(db, reader), 0);
  });
}

test("are all that reading everything looks for, before a range, between two and behind the last.", async ({ db }) => {
  const { reader, ids } = await arrange(db, "all-at-once");
  const left = [ids[0]!, ids[EVENTS / 2]!, ids.at(-1)!];
  for (const id of ids) if (!left.includes(id)) await markRead(db, marker(reader), id);
  const explainer = openQueryExplainer(db.url);
  const asOne = (rows: Rows) => ({ rows, transact: (work: (tx: Tx) => unknown) => work(rows as Tx) }) as Database;
  const plans = await explainer.explain((rows) => markAllRead(asOne(rows), marker(reader)));
  await explainer.close();
  assert.ok(plans.reduce((sum, { buffers }) => sum + buffers, 0) < EVENTS);
  assert.equal(await markAllRead(db, marker(reader)), { marked: left.length });
  await countsAreExact(db);
  assert.is(await rangesOf(db, reader), 0);
  assert.equal(await markAllRead(db, marker(reader)), { marked: 0 });
});

test("are found by reading everything where the last range began before it was done the last time.", async ({ db }) => {
  const { reader, ids } = await arrange(db, "again");
  await markAllRead(db, marker(reader));
  const { hub, spoke } =
    (await db.sql("select federation_id as hub, spoke_id as spoke from audit_events where id = $1", [ids[0]]))[0]!;
  await tell(db, ...Array.from({ length: 5 }, () => ({ hub, spoke })));
  const fresh = (await db.sql("select id from audit_events where federation_id = $1 order by at", [hub])).slice(EVENTS);
  for (const { id } of [fresh[0]!, fresh[1]!, fresh[3]!]) await markRead(db, marker(reader), id);
  assert.equal(await markAllRead(db, marker(reader)), { marked: 2 });
  assert.equal((await listNotifications(db.rows, reader, page)).items, []);
  await countsAreExact(db);
});

test.run();
