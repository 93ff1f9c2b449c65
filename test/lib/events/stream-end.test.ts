/** Tests the end of a hub's stream, and what its readers receive. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SYSTEM_REQUESTER } from "#lib/audit/requester.ts";
import { recordChange } from "#lib/changes/record.ts";
import { type HubFeeds, openHubFeeds } from "#lib/events/feed.ts";
import { streamHubEvents } from "#lib/events/stream.ts";
import type { SendFrame, StreamFrame } from "#lib/events/keep-alive.ts";
import { SILENT_LOG } from "#lib/base/log.ts";
import { emitEvent, openTestStream, readTestVisibility, visibilities } from "#test/lib/events/open-test-stream.ts";
import { readFrames } from "#test/support/frames.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { insertHub, insertSpoke, insertUser } from "#test/support/insert-rows.ts";

const test = suite<{ db: TestDatabase; feeds: HubFeeds; user: string }>("a hub's stream");

test.before(async (context) => {
  context.db = await openTestDatabase({ size: 8 });
  context.feeds = openHubFeeds(context.db, SILENT_LOG, { readVisibility: readTestVisibility, maxStreams: 99 });
  context.user = await insertUser(context.db);
});
test.after(async (context) => {
  context.feeds.close();
  await context.db.close();
});

test("ends when the hub is removed, also for later readers, with a long retry delay", async ({ db, feeds, user }) => {
  const hub = await insertHub(db, user);
  await emitEvent(db, hub, "active");
  const live = openTestStream(feeds, hub);
  assert.is(await live.next(), "1 FederationUpdateActive");
  await db.sql("update federations set state = 'removed', removed_at = now() where id = $1", [hub]);
  await emitEvent(db, hub, "removed");
  const late = openTestStream(feeds, hub), back = openTestStream(feeds, hub, 2);
  const rest = async ({ next }: typeof live) => [await next(), await next(), await next(), await next()];
  const end = ["retry", "2 StreamEnd", undefined];
  assert.equal(await rest(live), ["2 FederationUpdateRemoved", ...end]);
  assert.equal(await rest(late), ["2 FederationUpdateRemoved", ...end]);
  assert.equal(await rest(back), [...end, undefined]);
});

test("sends operator details only to operators", async ({ db, feeds, user }) => {
  const hub = await insertHub(db, user), spoke = await insertSpoke(db, user, hub);
  const error = "VolumeSnapshotContent snapcontent-1 stays: kubectl delete volumesnapshotcontent snapcontent-1";
  await db.transact((tx) =>
    recordChange(tx, SYSTEM_REQUESTER, { events: [{ federationId: hub, spokeId: spoke, state: "failed", error }] })
  );
  visibilities.set("usr_plain", "plain").set("usr_own", new Set([spoke]));
  const labels: (string | undefined)[] = [];
  for (const userId of ["usr_all", "usr_plain", "usr_own"]) {
    const reader = feeds.enter({ credentialId: userId, userId, federationId: hub });
    const run = (send: SendFrame) => streamHubEvents(feeds, reader, null, send);
    for await (const frame of readFrames<StreamFrame>({ run, cancel: reader.leave })) {
      if ("event" in frame) {
        labels.push(frame.data.error);
        break;
      }
    }
  }
  assert.equal(labels, [error, "The stored snapshot stays", "The stored snapshot stays"]);
});

test.run();
