/** Tests streams: the present state, live events, gapless replay, visibility, and each way in which a stream ends. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Database } from "#lib/drivers/db/database.ts";
import { type HubFeeds, openHubFeeds } from "#lib/events/feed.ts";
import { getCurrentContext, runInContext } from "#lib/base/work-context.ts";
import { SILENT_LOG } from "#lib/base/log.ts";
import { emitEvent, openTestStream, readTestVisibility, visibilities } from "#test/lib/events/open-test-stream.ts";
import { startSpanContext } from "#lib/base/trace.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { insertHub, insertSpoke, insertUser } from "#test/support/insert-rows.ts";
import { until } from "#test/support/until.ts";
import { updateRows } from "#test/support/rows.ts";

const test = suite<{ db: TestDatabase; feeds: HubFeeds; user: string }>("streamHubEvents");

test.before(async (context) => {
  context.db = await openTestDatabase({ size: 8 });
  context.feeds = openHubFeeds(context.db, SILENT_LOG, { readVisibility: readTestVisibility, maxStreams: 99 });
  context.user = await insertUser(context.db);
});
test.after(async (context) => {
  context.feeds.close();
  await context.db.close();
});

test("sends a new reader the latest event of the hub and each spoke, then live events", async ({ db, feeds, user }) => {
  const hub = await insertHub(db, user, "fresh"), spoke = await insertSpoke(db, user, hub);
  for (const state of ["provisioning", "active"]) await emitEvent(db, hub, state);
  for (const state of ["provisioning", "active"]) await emitEvent(db, hub, state, spoke);
  const reader = openTestStream(feeds, hub);
  assert.is(await reader.next(), "2 FederationUpdateActive");
  assert.is(await reader.next(), "4 SpokeUpdateActive");
  const waiting = reader.next();
  await emitEvent(db, hub, "suspending", spoke);
  assert.is(await waiting, "5 SpokeUpdateSuspending");
  await reader.close();
});

test("sends a returning reader exactly the missed events", async ({ db, feeds, user }) => {
  const hub = await insertHub(db, user, "back");
  for (let i = 0; i < 6; i++) await emitEvent(db, hub, "active");
  const reader = openTestStream(feeds, hub, 3);
  assert.equal([await reader.next(), await reader.next(), await reader.next()].map((text) => text!.split(" ")[0]), [
    "4",
    "5",
    "6",
  ]);
  await reader.close();
});

test("reads shared events outside of the first request's context", async ({ db, user }) => {
  const hub = await insertHub(db, user, "shared"), causes: unknown[] = [], over = new AbortController();
  const watched: Database = {
    ...db,
    get streams() {
      causes.push(getCurrentContext());
      return db.streams;
    },
  };
  const feeds = openHubFeeds(watched, SILENT_LOG, { readVisibility: readTestVisibility, maxStreams: 99 });
  const feed = runInContext(
    { rootSpan: startSpanContext(null, () => true), logFields: {} },
    () => feeds.join(hub, over.signal),
  );
  await feed.opened;
  assert.equal(causes, [null]);
  feed.leave();
  feeds.close();
});

test("sends events of another replica after its wake-up", async ({ db, feeds, user }) => {
  const hub = await insertHub(db, user, "far");
  await emitEvent(db, hub, "active");
  const reader = openTestStream(feeds, hub), other = await db.openAgain();
  assert.is(await reader.next(), "1 FederationUpdateActive");
  const waiting = reader.next();
  await emitEvent(other, hub, "failed");
  assert.is(await waiting, "2 FederationUpdateFailed");
  await reader.close();
  await other.close();
});

test("sends each event exactly once during concurrent writes", async ({ db, feeds, user }) => {
  const hub = await insertHub(db, user, "racing");
  await emitEvent(db, hub, "active");
  const reader = openTestStream(feeds, hub, 0);
  const writing = Promise.all(Array.from({ length: 8 }, async () => {
    for (let i = 0; i < 100; i++) await emitEvent(db, hub, "active");
  }));
  const numbers: number[] = [];
  while (numbers.length < 801) numbers.push(Number((await reader.next())!.split(" ")[0]));
  await writing;
  await reader.close();
  assert.equal(numbers, Array.from({ length: 801 }, (_, i) => i + 1));
});

test("sends StreamReset and the remaining events if the client's last event was pruned", async ({ db, feeds, user }) => {
  const hub = await insertHub(db, user, "old");
  for (let i = 0; i < 5; i++) await emitEvent(db, hub, "active");
  await db.sql("delete from stream_events where federation_id = $1 and number <= 3", [hub]);
  await updateRows(db, "stream_heads", { prunedThrough: 3 }, { federationId: hub });
  const reader = openTestStream(feeds, hub, 1);
  assert.equal([await reader.next(), await reader.next()], ["3 StreamReset", "4 FederationUpdateActive"]);
  await reader.close();
  const ahead = openTestStream(feeds, hub, 99);
  assert.is(await ahead.next(), "3 StreamReset");
  await ahead.close();
});

test("sends all events across gaps in the numbers", async ({ db, feeds, user }) => {
  const hub = await insertHub(db, user, "leaps");
  await emitEvent(db, hub, "active");
  const reader = openTestStream(feeds, hub), seen = [await reader.next()];
  for (let number = 2; number <= 6; number++) {
    if (number === 4) await updateRows(db, "stream_heads", { number: 1000 }, { federationId: hub });
    const waiting = reader.next();
    await emitEvent(db, hub, "active");
    seen.push(await waiting);
  }
  assert.equal(seen.map((text) => text!.split(" ")[0]), ["1", "2", "3", "1001", "1002", "1003"]);
  await reader.close();
});

test("ends a stream immediately when the access is revoked", async ({ db, feeds, user }) => {
  const hub = await insertHub(db, user, "revoked");
  await emitEvent(db, hub, "active");
  const reader = openTestStream(feeds, hub, null, { userId: "leaver" });
  await reader.next();
  const waiting = reader.next();
  visibilities.set("leaver", null);
  await db.transact((tx) => Promise.resolve(tx.wakes.add("user:leaver")));
  assert.is(await waiting, undefined);
});

test("a reader behind the retention waits for new events without repeated reads", async ({ db, feeds, user }) => {
  const hub = await insertHub(db, user, "pruned"), waits: number[] = [];
  await emitEvent(db, hub, "active");
  let last = 1;
  const join = (id: string, over: AbortSignal) => {
    const feed = feeds.join(id, over);
    const wait = (number: number) => {
      last = 3; // the table no longer has any of these events
      return waits.push(number) < 3 ? Promise.resolve() : feed.wait(99);
    };
    return {
      ...feed,
      wait,
      last: () => last,
      after: (number: number) => number < last ? null : { events: [], readAt: 0 },
    };
  };
  const reader = openTestStream({ ...feeds, join }, hub, 1), next = reader.next();
  await until(() => waits.length === 3);
  reader.leave();
  await next;
  assert.equal(waits, [1, 3, 3]);
});

test("runs the readers' own reads one after another", async ({ feeds }) => {
  let running = 0, most = 0;
  const read = () =>
    feeds.read(async (rows) => {
      most = Math.max(most, ++running);
      await rows.selectFrom("users").select("id").execute();
      running--;
    }, new AbortController().signal);
  await Promise.all([read(), read(), read()]);
  assert.is(most, 1);
});

test("releases the slot of an ended stream", async ({ db, user }) => {
  const hub = await insertHub(db, user, "places"),
    feeds = openHubFeeds(db, SILENT_LOG, { readVisibility: readTestVisibility, maxStreams: 1 });
  visibilities.set("nobody", null);
  for (let i = 0; i < 3; i++) assert.is(await openTestStream(feeds, hub, null, { userId: "nobody" }).next(), undefined);
  feeds.close();
});

test("sends a slow reader nothing more of a page after its access was revoked", async ({ db, feeds, user }) => {
  const hub = await insertHub(db, user, "slow");
  for (let i = 0; i < 3; i++) await emitEvent(db, hub, "active");
  const reader = openTestStream(feeds, hub, 0, { userId: "slow" });
  assert.is(await reader.next(), "1 FederationUpdateActive");
  visibilities.set("slow", null);
  await until(() => reader.ended.aborted);
  assert.is(await reader.next(), undefined);
});

test("omits a spoke that was removed over five minutes ago", async ({ db, feeds, user }) => {
  const hub = await insertHub(db, user, "graves"), gone = await insertSpoke(db, user, hub);
  await emitEvent(db, hub, "active");
  await emitEvent(db, hub, "removed", gone);
  const ago = async (interval: string) => {
    await db.sql(
      `update spokes set state = 'removed', removed_at = wheelwright_now() - interval '${interval}' where id = $1`,
      [gone],
    );
    const reader = openTestStream(feeds, hub);
    const first = await reader.next();
    const second = reader.next();
    await emitEvent(db, hub, "active"); // the next event if nothing is repeated
    const types = [first, await second].map((text) => text!.split(" ")[1]);
    await reader.close();
    return types;
  };
  assert.equal(await ago("4 minutes"), ["FederationUpdateActive", "SpokeUpdateRemoved"]);
  assert.equal(await ago("6 minutes"), ["FederationUpdateActive", "FederationUpdateActive"]);
});

test("close sends each reader a reconnection delay and ends its stream", async ({ db, user }) => {
  const hub = await insertHub(db, user, "closing"),
    feeds = openHubFeeds(db, SILENT_LOG, { readVisibility: readTestVisibility, maxStreams: 9 });
  await emitEvent(db, hub, "active");
  const reader = openTestStream(feeds, hub);
  await reader.next();
  const waiting = reader.next();
  feeds.close();
  assert.is(await waiting, "retry");
  assert.is(await reader.next(), undefined);
});

test("accepts a last event that is newer than this replica's feed", async ({ db, user }) => {
  const hub = await insertHub(db, user, "ahead");
  await emitEvent(db, hub, "provisioning");
  // Its wake-ups are lost, as if the control connection were being replaced. Only the poll finds new events.
  const feeds = openHubFeeds({ ...db, wakeups: { subscribe: () => () => {} } } as Database, SILENT_LOG, {
    readVisibility: readTestVisibility,
    maxStreams: 9,
  });
  const there = openTestStream(feeds, hub, 0);
  assert.is(await there.next(), "1 FederationUpdateProvisioning");
  await emitEvent(db, hub, "active");
  const come = openTestStream(feeds, hub, 2);
  const next = come.next();
  await emitEvent(db, hub, "failed");
  assert.is(await next, "3 FederationUpdateFailed");
  for (const event of ["2 FederationUpdateActive", "3 FederationUpdateFailed"]) assert.is(await there.next(), event);
  await Promise.all([there.close(), come.close()]);
  feeds.close();
});

test.run();
