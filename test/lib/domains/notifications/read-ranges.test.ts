/** Tests that unread events are found without scanning read ones, whatever the order in which they were read. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Database, RowQueries, Tx } from "#lib/drivers/db/database.ts";
import { listNotifications } from "#lib/domains/notifications/list.ts";
import { markAllNotificationsAsRead } from "#lib/domains/notifications/read-all.ts";
import type { NotificationReader } from "#lib/domains/notifications/objects.ts";
import { markNotificationAsRead } from "#lib/domains/notifications/read.ts";
import { assertCountsAreExact } from "#test/lib/domains/notifications/recount.ts";
import { insertSpokeEvents, recordEvents, toMarkingReader } from "#test/lib/domains/notifications/record-events.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { addHubAdmin, createTestUser } from "#test/support/users.ts";
import { openQueryExplainer } from "#test/support/query-plans.ts";
import { insertHub, insertSpoke } from "#test/support/insert-rows.ts";
import { selectRows } from "#test/support/rows.ts";

const EVENTS = 240;
const page = { limit: 20, unreadOnly: true, before: undefined };
const test = suite<{ db: TestDatabase }>("read ranges");

test.before(async (context) => {
  context.db = await openTestDatabase();
});
test.after(({ db }) => db.close());

/** Creates a hub admin and a hub with `count` events. Returns their IDs, oldest first. */
async function arrange(db: TestDatabase, name: string) {
  const person = await createTestUser(db, name), hub = await insertHub(db, person.id, name);
  const spoke = await insertSpoke(db, person.id, hub, name);
  await addHubAdmin(db, person, hub);
  await insertSpokeEvents(db, { hub, spoke }, Array.from({ length: EVENTS }, (_, i) => i));
  const reader: NotificationReader = { role: "hub_admin", userId: person.id };
  const rows = await selectRows(db, "audit_events", { federationId: hub }, { columns: ["id"], orderBy: "at" });
  return { reader, ids: rows.map(({ id }) => id as string) };
}

async function rangesOf(db: TestDatabase, { userId }: NotificationReader): Promise<number> {
  return (await db.sql("select from notification_read_ranges where user_id = $1", [userId])).length;
}

const ORDERS: Readonly<Record<string, (ids: readonly string[]) => string[]>> = {
  "from the newest": (ids) => [...ids].reverse(),
  "from the oldest": (ids) => [...ids],
  "here and there": (ids) => [...ids].sort(), // the IDs sort in a random order
};

for (const [order, sort] of Object.entries(ORDERS)) {
  test(`find the last unread events if all others were read ${order}`, async ({ db }) => {
    const { reader, ids } = await arrange(db, order.split(" ").join("-"));
    const left = [ids[0]!, ids[EVENTS / 2]!];
    for (const id of sort(ids)) if (!left.includes(id)) await markNotificationAsRead(db, toMarkingReader(reader), id);
    const found = (await listNotifications(db.rows, reader, page)).items;
    assert.equal(found.map(({ id }) => id), left.reverse());
    assert.is(await rangesOf(db, reader), 2);
    await assertCountsAreExact(db);
    const explainer = openQueryExplainer(db.url);
    const [plan] = await explainer.explain((rows) => listNotifications(rows, reader, page));
    await explainer.close();
    // Each read event would cost 3 or more.
    assert.ok(plan!.buffers < EVENTS, `${plan!.buffers} pages\n${plan!.lines.join("\n")}`);
    for (const id of left) await markNotificationAsRead(db, toMarkingReader(reader), id);
    assert.equal((await listNotifications(db.rows, reader, page)).items, []);
    assert.is(await rangesOf(db, reader), 0);
  });
}

test("limit the search to unread events before, between and after ranges", async ({ db }) => {
  const { reader, ids } = await arrange(db, "all-at-once");
  const left = [ids[0]!, ids[EVENTS / 2]!, ids.at(-1)!];
  for (const id of ids) if (!left.includes(id)) await markNotificationAsRead(db, toMarkingReader(reader), id);
  const explainer = openQueryExplainer(db.url);
  const asOne = (rows: RowQueries) => ({ rows, transact: (work: (tx: Tx) => unknown) => work(rows as Tx) }) as Database;
  const plans = await explainer.explain((rows) => markAllNotificationsAsRead(asOne(rows), toMarkingReader(reader)));
  await explainer.close();
  assert.ok(plans.reduce((sum, { buffers }) => sum + buffers, 0) < EVENTS);
  assert.equal(await markAllNotificationsAsRead(db, toMarkingReader(reader)), { marked: left.length });
  await assertCountsAreExact(db);
  assert.is(await rangesOf(db, reader), 0);
  assert.equal(await markAllNotificationsAsRead(db, toMarkingReader(reader)), { marked: 0 });
});

test("end where the last range began before the previous run", async ({ db }) => {
  const { reader, ids } = await arrange(db, "again");
  await markAllNotificationsAsRead(db, toMarkingReader(reader));
  const { hub, spoke } =
    (await db.sql("select federation_id as hub, spoke_id as spoke from audit_events where id = $1", [ids[0]]))[0]!;
  await recordEvents(db, ...Array.from({ length: 5 }, () => ({ hub, spoke })));
  const fresh = (await selectRows(db, "audit_events", { federationId: hub }, { columns: ["id"], orderBy: "at" })).slice(
    EVENTS,
  );
  for (const { id } of [fresh[0]!, fresh[1]!, fresh[3]!]) await markNotificationAsRead(db, toMarkingReader(reader), id);
  assert.equal(await markAllNotificationsAsRead(db, toMarkingReader(reader)), { marked: 2 });
  assert.equal((await listNotifications(db.rows, reader, page)).items, []);
  await assertCountsAreExact(db);
});

test.run();
