/** Tests the number of streams, and how far the slowest is behind. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openHubFeeds } from "#lib/events/feed.ts";
import { SILENT_LOG } from "#lib/base/log.ts";
import { emitEvent, openTestStream, readTestVisibility } from "#test/lib/events/open-test-stream.ts";
import { openTestDatabase } from "#test/support/database.ts";
import { insertHub, insertUser } from "#test/support/insert-rows.ts";
import { until } from "#test/support/until.ts";

const test = suite("openFeeds, stats");

test("count the streams and the backlog of the slowest reader", async () => {
  const db = await openTestDatabase(),
    feeds = openHubFeeds(db, SILENT_LOG, { readVisibility: readTestVisibility, maxStreams: 9 });
  const user = await insertUser(db),
    hub = await insertHub(db, user, "north"),
    other = await insertHub(db, user, "south");
  assert.equal(feeds.stats(), { streams: 0, behind: 0 });
  const slow = openTestStream(feeds, hub), quick = openTestStream(feeds, hub), elsewhere = openTestStream(feeds, other);
  const taken = slow.next(), first = quick.next(), waiting = elsewhere.next();
  await until(() => feeds.stats().streams === 3);
  await emitEvent(db, hub, "active");
  assert.equal([await taken, await first], ["1 FederationUpdateActive", "1 FederationUpdateActive"]);
  for (let i = 0; i < 5; i++) {
    await emitEvent(db, hub, "active");
    await quick.next();
  }
  await until(() => feeds.stats().behind >= 5); // it has received one of six events
  assert.ok(feeds.stats().behind <= 6);
  for (let i = 0; i < 5; i++) await slow.next();
  const last = slow.next(), lastOfQuick = quick.next();
  await until(() => feeds.stats().behind === 0);
  feeds.close();
  await Promise.all([last, lastOfQuick, waiting]);
  await until(() => feeds.stats().streams === 0);
  for (const reader of [slow, quick, elsewhere]) await reader.close();
  await db.close();
});

test.run();
