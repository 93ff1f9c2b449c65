/**
 * Tests streams during an outage of the database: they wait, send keep-alives, continue, and send nothing undecided.
 */
import { sql } from "kysely";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ClosableDatabase } from "#lib/drivers/db/database.ts";
import { openDatabase } from "#lib/drivers/db/open.ts";
import { type HubFeeds, openHubFeeds } from "#lib/events/feed.ts";
import type { ReadVisibility } from "#lib/events/visibility.ts";
import { streamHubEvents } from "#lib/events/stream.ts";
import type { SendFrame, StreamFrame } from "#lib/events/keep-alive.ts";
import { SILENT_LOG } from "#lib/base/log.ts";
import { emitEvent, openTestStream, readTestVisibility, visibilities } from "#test/lib/events/open-test-stream.ts";
import { readFrames } from "#test/support/frames.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { openProxy, type TcpProxy } from "#test/support/proxy.ts";
import { insertHub, insertUser } from "#test/support/insert-rows.ts";
import { until } from "#test/support/until.ts";

interface Stage {
  db: TestDatabase;
  proxy: TcpProxy;
  far: ClosableDatabase;
  feeds: HubFeeds;
  user: string;
}

const test = suite<Stage>("streamHubEvents during a database outage");

test.before(async (stage) => {
  stage.db = await openTestDatabase();
  stage.proxy = await openProxy(stage.db.url);
  stage.far = await openDatabase({ url: stage.proxy.url, size: 2, log: SILENT_LOG });
  const asking: ReadVisibility = async (rows, followers) => {
    await sql`select 1`.execute(rows);
    return await readTestVisibility(rows, followers);
  };
  stage.feeds = openHubFeeds(stage.far, SILENT_LOG, { readVisibility: asking, maxStreams: 99 });
  stage.user = await insertUser(stage.db);
});
test.after(async ({ db, proxy, far, feeds }) => {
  feeds.close();
  await far.close();
  await proxy.close();
  await db.close();
});

const lose = (proxy: TcpProxy) => {
  proxy.refuse();
  proxy.cut();
};

test("new and live streams wait without losing events", async ({ db, proxy, feeds, user }) => {
  const hub = await insertHub(db, user, "waiting");
  await emitEvent(db, hub, "active");
  const live = openTestStream(feeds, hub);
  assert.is(await live.next(), "1 FederationUpdateActive");
  lose(proxy);
  const [first, second] = [live.next(), openTestStream(feeds, hub, 0)];
  const begun = second.next();
  await emitEvent(db, hub, "failed");
  await until(() => live.visibility(-Infinity) === null);
  await proxy.heal();
  assert.is(await begun, "1 FederationUpdateActive");
  assert.equal([await first, await second.next()], ["2 FederationUpdateFailed", "2 FederationUpdateFailed"]);
  await Promise.all([live.close(), second.close()]);
});

test("streams send keep-alives", async ({ db, proxy, far, user }) => {
  const federationId = await insertHub(db, user, "talking"),
    feeds = openHubFeeds(far, SILENT_LOG, { readVisibility: readTestVisibility, maxStreams: 9, keepAliveAfterMs: 20 });
  lose(proxy);
  const reader = feeds.enter({ credentialId: "tok", userId: "usr", federationId }), said: StreamFrame[] = [];
  const run = (send: SendFrame) => streamHubEvents(feeds, reader, null, send);
  for await (const frame of readFrames<StreamFrame>({ run, cancel: reader.leave })) if (said.push(frame) === 4) break;
  assert.equal(said, ["following", "still here", "still here", "still here"].map((comment) => ({ comment })));
  feeds.close();
  await proxy.heal();
});

test("a reader who lost access gets no events from the outage", async ({ db, proxy, feeds, user }) => {
  const hub = await insertHub(db, user, "losing");
  await emitEvent(db, hub, "active");
  const reader = openTestStream(feeds, hub, null, { userId: "loser" });
  await reader.next();
  lose(proxy);
  const next = reader.next();
  visibilities.set("loser", null);
  await emitEvent(db, hub, "failed");
  await until(() => reader.visibility(-Infinity) === null);
  await proxy.heal();
  assert.is(await next, undefined);
});

test("close ends waiting streams with a reconnection delay", async ({ db, proxy, far, user }) => {
  const hub = await insertHub(db, user, "closing"),
    feeds = openHubFeeds(far, SILENT_LOG, { readVisibility: readTestVisibility, maxStreams: 9 });
  lose(proxy);
  const reader = openTestStream(feeds, hub), next = reader.next();
  feeds.close();
  assert.is(await next, "retry");
  await proxy.heal();
});

test.run();
