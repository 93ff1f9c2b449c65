/** Tests that each stored count equals a full count after random parallel changes. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Database } from "#lib/drivers/db/database.ts";
import { getErrorMessage } from "#lib/base/errors.ts";
import { markHistoryAsRead } from "#lib/domains/members/history.ts";
import { addMembership, type MembershipKey } from "#lib/domains/members/memberships.ts";
import { countUnreadNotifications, type NotificationReader } from "#lib/domains/notifications/objects.ts";
import { listNotifications } from "#lib/domains/notifications/list.ts";
import { markAllNotificationsAsRead } from "#lib/domains/notifications/read-all.ts";
import { markNotificationAsRead } from "#lib/domains/notifications/read.ts";
import { assertCountsAreExact, recountUnread } from "#test/lib/domains/notifications/recount.ts";
import { recordEvents, type TestEvent, toMarkingReader } from "#test/lib/domains/notifications/record-events.ts";
import { queryRows } from "#test/support/bench/query.ts";
import { createSeededRandom, type SeededRandom } from "#test/support/bench/random.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { addHubAdmin, addSpokeAdmin, createTestUser } from "#test/support/users.ts";
import { insertHub, insertSpoke } from "#test/support/insert-rows.ts";
import { selectRows } from "#test/support/rows.ts";

const test = suite("counts of notifications");
const ROUNDS = 12, AT_ONCE = 10;

interface World {
  readonly db: TestDatabase;
  readonly replicas: readonly Database[];
  readonly users: readonly string[];
  readonly hubs: readonly string[];
  /** The spokes, each with its hub. */
  readonly spokes: readonly { readonly hub: string; readonly spoke: string }[];
  readonly random: SeededRandom;
}

for (const seed of [1]) {
  test(`equal a full recount after ${ROUNDS * AT_ONCE} random actions (seed ${seed})`, async () => {
    const world = await openWorld(createSeededRandom(seed));
    try {
      for (let round = 0; round < ROUNDS; round++) {
        await Promise.all(Array.from({ length: AT_ONCE }, () => runRandomAction(world)));
        if (round % 4 === 3) await holds(world);
      }
    } finally {
      await world.db.close();
    }
  });
}

test.run();

async function openWorld(random: SeededRandom): Promise<World> {
  const db = await openTestDatabase({ size: 6 });
  const people = await Promise.all([
    createTestUser(db, "root", { operator: true }),
    ...["ada", "bob", "cem", "dot"].map((name) => createTestUser(db, name)),
  ]);
  const users = people.map(({ id }) => id);
  const hubs = await Promise.all(["north", "south", "east"].map((slug) => insertHub(db, users[0]!, slug)));
  const spokes = await Promise.all(
    hubs.flatMap((hub) =>
      ["oak", "elm"].map(async (slug) => ({ hub, spoke: await insertSpoke(db, users[0]!, hub, slug) }))
    ),
  );
  for (const user of users.slice(1)) {
    await addHubAdmin(db, { id: user, email: "" }, random.pick(hubs));
    await addSpokeAdmin(db, { id: user, email: "" }, random.pick(spokes).spoke);
  }
  return { db, replicas: [db, await db.openAgain({ size: 6 })], users, hubs, spokes, random };
}

async function runRandomAction(world: World): Promise<void> {
  const { db, replicas, users, hubs, spokes, random } = world;
  const replica = random.pick(replicas), user = random.pick(users);
  const randomEvent = (): TestEvent => {
    const place = random.weighted({ spoke: 6, hub: 3, none: 1 });
    return {
      ...(place === "spoke" ? random.pick(spokes) : place === "hub" ? { hub: random.pick(hubs) } : {}),
      ...(random.next() < 0.5 && { audience: random.pick(users) }),
      ...(random.next() < 0.2 && { kind: "tenant_backup_succeeded" as const }),
    };
  };
  const ofHub = [random.pick(hubs), user], ofSpoke = [random.pick(spokes).spoke, user];
  switch (
    random.weighted({
      tell: 10,
      read: 8,
      readAll: 2,
      join: 2,
      leave: 1,
      joinSpoke: 3,
      leaveSpoke: 1,
      verify: 1,
      promote: 1,
    })
  ) {
    case "tell":
      return await recordEvents(replica, ...Array.from({ length: 1 + Math.floor(random.next() * 3) }, randomEvent));
    case "read":
      return await readOne(replica, await readerOf(db, user), random.next());
    case "readAll":
      return void await markAllNotificationsAsRead(replica, toMarkingReader(await readerOf(db, user)));
    case "join":
      return await join(replica, { federationId: random.pick(hubs) }, user);
    case "leave":
      return void await queryRows(
        db,
        "delete from federation_members where federation_id = $1 and user_id = $2",
        ofHub,
      );
    case "joinSpoke":
      return await join(replica, { spokeId: random.pick(spokes).spoke }, user);
    case "leaveSpoke":
      return void await queryRows(db, "delete from spoke_members where spoke_id = $1 and user_id = $2", ofSpoke);
    case "verify":
      return void await queryRows(
        db,
        `update users set email_verified_at = case when email_verified_at is null then now() end where id = $1`,
        [random.pick(users.slice(1))],
      );
    case "promote":
      return void await queryRows(db, "update users set operator = not operator where id = $1", [
        random.pick(users.slice(1)),
      ]);
  }
}

/** Adds a member like the API: the history counts as read. */
async function join(db: Database, membership: MembershipKey, userId: string): Promise<void> {
  await db.transact(async (tx) => {
    if (await addMembership(tx, membership, userId)) await markHistoryAsRead(tx, membership, userId);
  });
}

/** Picks a listed notification. It may become invisible meanwhile. */
async function readOne(db: Database, reader: NotificationReader, dice: number): Promise<void> {
  const listed =
    (await listNotifications(db.rows, reader, { limit: 30, unreadOnly: dice < 0.7, before: undefined })).items;
  const one = listed[Math.floor(dice * listed.length)];
  if (one) {
    await markNotificationAsRead(db, toMarkingReader(reader), one.id).catch((error) =>
      assert.match(getErrorMessage(error), /no such notification/)
    );
  }
}

async function readerOf(db: TestDatabase, userId: string): Promise<NotificationReader> {
  const [{ operator }] = await selectRows(db, "users", { id: userId }, { columns: ["operator"] });
  return { userId, role: operator ? "operator" : "hub_admin" };
}

async function holds({ db, users }: World): Promise<void> {
  await assertCountsAreExact(db);
  for (const userId of users) {
    const reader = await readerOf(db, userId), expected = await recountUnread(db, userId);
    assert.equal(await countUnreadNotifications(db.rows, reader), { count: expected });
    const listed =
      (await listNotifications(db.rows, reader, { limit: 5000, unreadOnly: true, before: undefined })).items;
    assert.is(listed.length, expected);
    assert.is(new Set(listed.map(({ id }) => id)).size, expected, "each once");
    assert.ok(listed.every(({ read }) => !read));
  }
}
