/** Tests readers who may see only some spokes, including spokes that were granted a moment ago. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type HubFeeds, openHubFeeds } from "#lib/events/feed.ts";
import type { ReadVisibility } from "#lib/events/visibility.ts";
import { SILENT_LOG } from "#lib/base/log.ts";
import { emitEvent, openTestStream, readTestVisibility, visibilities } from "#test/lib/events/open-test-stream.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { addSpokeAdmin, createTestUser } from "#test/support/users.ts";
import { insertHub, insertSpoke, insertUser } from "#test/support/insert-rows.ts";
import { until } from "#test/support/until.ts";

const test = suite<{ db: TestDatabase; feeds: HubFeeds; user: string }>("streamHubEvents with partial visibility");

test.before(async (context) => {
  context.db = await openTestDatabase({ size: 8 });
  context.feeds = openHubFeeds(context.db, SILENT_LOG, { readVisibility: readTestVisibility, maxStreams: 99 });
  context.user = await insertUser(context.db);
});
test.after(async (context) => {
  context.feeds.close();
  await context.db.close();
});

test("sends only events of visible spokes, with gaps in the IDs", async ({ db, feeds, user }) => {
  const hub = await insertHub(db, user, "narrow");
  const [mine, other] = [await insertSpoke(db, user, hub, "mine"), await insertSpoke(db, user, hub, "other")];
  await emitEvent(db, hub, "active");
  await emitEvent(db, hub, "active", other);
  await emitEvent(db, hub, "active", mine);
  visibilities.set("narrow", new Set([mine!]));
  const reader = openTestStream(feeds, hub, 0, { userId: "narrow" });
  assert.is(await reader.next(), "3 SpokeUpdateActive");
  await reader.close();
});

test("stops sending events of a spoke within a page after its access was revoked", async ({ db, feeds, user }) => {
  const hub = await insertHub(db, user, "narrowed"), spoke = await insertSpoke(db, user, hub);
  for (const id of [spoke, undefined, spoke]) await emitEvent(db, hub, "active", id);
  const reader = openTestStream(feeds, hub, 0, { userId: "narrowed" });
  assert.is(await reader.next(), "1 SpokeUpdateActive");
  visibilities.set("narrowed", new Set([spoke]));
  await db.transact((tx) => Promise.resolve(tx.wakes.add("user:narrowed")));
  assert.is(await reader.next(), "3 SpokeUpdateActive");
  await reader.close();
});

test("sends an event of a spoke that was just granted", async ({ db, feeds, user }) => {
  const hub = await insertHub(db, user, "given"), spoke = await insertSpoke(db, user, hub, "second");
  const person = await createTestUser(db, "given"), given = person.id;
  visibilities.set(given, new Set(["first"]));
  const reader = openTestStream(feeds, hub, 0, { userId: given });
  const next = reader.next();
  await until(() => reader.visibility(-Infinity) !== null || reader.recheck().then(() => false));
  await addSpokeAdmin(db, person, spoke);
  visibilities.set(given, new Set(["first", spoke]));
  await emitEvent(db, hub, "active", spoke); // no wake-up names the user
  assert.is(await next, "1 SpokeUpdateActive");
  await reader.close();
});

test("checks no visibility for events of other spokes", async ({ db, user }) => {
  const hub = await insertHub(db, user, "others"),
    [own, other] = [
      await insertSpoke(db, user, hub, "own"),
      await insertSpoke(db, user, hub, "theirs"),
    ];
  let checks = 0;
  const counting: ReadVisibility = (rows, followers) => (checks++, readTestVisibility(rows, followers));
  const feeds = openHubFeeds(db, SILENT_LOG, { readVisibility: counting, maxStreams: 9 });
  visibilities.set("owner", new Set([own]));
  const reader = openTestStream(feeds, hub, 0, { userId: "owner" }), next = reader.next();
  await emitEvent(db, hub, "active", own);
  assert.is(await next, "1 SpokeUpdateActive");
  await until(() => reader.visibility(performance.now() - 100) !== null || reader.recheck().then(() => false)); // the regular check has just run
  const before = checks, after = reader.next();
  for (let i = 0; i < 20; i++) await emitEvent(db, hub, "active", other);
  await emitEvent(db, hub, "active", own);
  assert.is(await after, "22 SpokeUpdateActive");
  assert.ok(checks <= before + 1, `${checks - before} looks`); // a regular check may have run in between
  await reader.close();
  feeds.close();
});

test.run();
