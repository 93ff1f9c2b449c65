/** Tests streams on one replica while another replica revokes their credential or permission. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { App } from "#lib/app.ts";
import { SYSTEM_REQUESTER } from "#lib/audit/requester.ts";
import { patchUser, resetPasswordAsOperator } from "#lib/domains/auth/accounts.ts";
import { authenticate } from "#lib/domains/auth/authenticate.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { recordChange } from "#lib/changes/record.ts";
import { openHubFeeds } from "#lib/events/feed.ts";
import type { StreamFrame } from "#lib/events/keep-alive.ts";
import { readStreamBounds } from "#lib/events/store.ts";
import { decideEventVisibility, openHubEventStream } from "#lib/domains/federations/follow.ts";
import { removeHubMember } from "#lib/domains/federations/members.ts";
import { findFederation } from "#lib/domains/federations/store.ts";
import { SILENT_LOG } from "#lib/base/log.ts";
import { removeSpokeMember } from "#lib/domains/spokes/members.ts";
import { findSpoke } from "#lib/domains/spokes/store.ts";
import { findUserRecord } from "#lib/domains/users/records.ts";
import { createTestApp } from "#test/support/app.ts";
import { readFrames } from "#test/support/frames.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import {
  addHubAdmin,
  addSpokeAdmin,
  createTestSession,
  createTestToken,
  createTestUser,
  type TestUser,
} from "#test/support/users.ts";
import { insertHub, insertSpoke } from "#test/support/insert-rows.ts";

interface Stage {
  db: TestDatabase;
  here: App;
  there: App;
  root: Actor;
  hub: string;
  oak: string;
  elm: string;
}

const test = suite<Stage>("openHubEventStream");

test.before(async (stage) => {
  stage.db = await openTestDatabase();
  const passwords = { hash: () => Promise.resolve("no hash"), verify: () => Promise.resolve("wrong" as const) };
  stage.here = { ...await createTestApp(stage.db), passwords };
  const db = await stage.db.openAgain();
  stage.there = {
    ...stage.here,
    db,
    feeds: openHubFeeds(db, SILENT_LOG, { readVisibility: decideEventVisibility, maxStreams: 99 }),
  };
  const root = await createTestUser(stage.db, "root", { operator: true });
  stage.root = await signIn(stage.here, root, "session");
  stage.hub = await insertHub(stage.db, root.id);
  stage.oak = await insertSpoke(stage.db, root.id, stage.hub, "oak");
  stage.elm = await insertSpoke(stage.db, root.id, stage.hub, "elm");
});
test.after(async ({ db, here, there }) => {
  here.feeds.close();
  there.feeds.close();
  await db.close();
});

test("ends for a disabled user, with a session or a token", async (stage) => {
  for (const credential of ["session", "token"] as const) {
    const ada = await createTestUser(stage.db, `ada-${credential}`);
    await addHubAdmin(stage.db, ada, stage.hub);
    const stream = await follow(stage, await signIn(stage.there, ada, credential));
    const user = (await findUserRecord(stage.db.rows, ada.id))!;
    const patch = { displayName: undefined, operator: undefined, disabled: true };
    await stream.endsAfter(() => patchUser(stage.here, stage.root, user, patch));
  }
});

test("ends session streams when an operator resets the password, but not token streams", async (stage) => {
  const bob = await createTestUser(stage.db, "bob");
  await addHubAdmin(stage.db, bob, stage.hub);
  const byToken = await follow(stage, await signIn(stage.there, bob, "token"));
  const bySession = await follow(stage, await signIn(stage.there, bob, "session"));
  assert.is(await byToken.next(), `active ${stage.elm}`);
  await bySession.endsAfter(() => resetPasswordAsOperator(stage.here, stage.root, bob));
  await recordSpokeEvent(stage, stage.oak);
  assert.is(await byToken.next(), `active ${stage.oak}`);
  await byToken.close();
});

test("ends for a demoted operator", async (stage) => {
  const ops = await createTestUser(stage.db, "ops", { operator: true });
  const stream = await follow(stage, await signIn(stage.there, ops, "token"));
  const user = (await findUserRecord(stage.db.rows, ops.id))!;
  const patch = { displayName: undefined, operator: false, disabled: undefined };
  await stream.endsAfter(() => patchUser(stage.here, stage.root, user, patch));
});

test("ends with the membership of the hub", async (stage) => {
  const cal = await createTestUser(stage.db, "cal");
  await addHubAdmin(stage.db, cal, stage.hub);
  const stream = await follow(stage, await signIn(stage.there, cal, "token"));
  const federation = (await findFederation(stage.db.rows, stage.hub, "hidden"))!;
  await stream.endsAfter(() => removeHubMember(stage.here, stage.root, federation, cal.id));
});

test("continues without a removed spoke membership, and ends with the last one of the hub", async (stage) => {
  const dot = await createTestUser(stage.db, "dot"), { db, oak, elm } = stage;
  const other = await insertHub(db, stage.root.userId, "other");
  const elsewhere = await insertSpoke(db, stage.root.userId, other, "fir");
  for (const id of [oak, elm, elsewhere]) await addSpokeAdmin(db, dot, id);
  const stream = await follow(stage, await signIn(stage.there, dot, "token"));
  const take = async (id: string) => {
    const spoke = (await findSpoke(db.rows, id, "hidden"))!;
    await removeSpokeMember(stage.here, stage.root, spoke, dot.id);
  };
  await recordSpokeEvent(stage, oak);
  assert.is(await stream.next(), `active ${oak}`);
  await take(oak);
  await recordSpokeEvent(stage, oak);
  await recordSpokeEvent(stage, elm);
  assert.is(await stream.next(), `active ${elm}`);
  await stream.endsAfter(() => take(elm));
});

test("sends the removal of a spoke and of the hub to their former admins, and ends with the hub", async (stage) => {
  const { db } = stage, hub = await insertHub(db, stage.root.userId, "west");
  const ash = await insertSpoke(db, stage.root.userId, hub, "ash");
  const eva = await createTestUser(db, "eva"), fox = await createTestUser(db, "fox");
  await addSpokeAdmin(db, eva, ash);
  await addHubAdmin(db, fox, hub);
  const here = { ...stage, hub, elm: ash };
  const ofSpoke = await follow(here, await signIn(stage.there, eva, "token"));
  const ofHub = await follow(here, await signIn(stage.there, fox, "token"));
  assert.is(await ofSpoke.next(), `active ${ash}`); // the stream starts with the current state
  await remove(here, "spokes", ash, { spokeId: ash });
  assert.is(await ofSpoke.next(), `removed ${ash}`);
  assert.is(await ofHub.next(), `removed ${ash}`);
  await remove(here, "federations", hub, {});
  assert.is(await ofHub.next(), "removed undefined");
  for (const stream of [ofSpoke, ofHub]) {
    assert.equal([await stream.next(), await stream.next()], ["removed undefined", undefined]); // StreamEnd
  }
});

test("takes no stream slot for an aborted request", async ({ there, root, hub }) => {
  const federation = (await findFederation(there.db.rows, hub, "hidden"))!, signal = AbortSignal.abort();
  for (let i = 0; i < 21; i++) {
    assert.throws(() => openHubEventStream(there, root, federation, { since: null, signal }), /aborted/);
  }
  openHubEventStream(there, root, federation, { since: null, signal: new AbortController().signal }).cancel();
});

test.run();

/** Removes the hub like the last step of a removal: the row and its event in one transaction. */
function remove({ db, hub }: Stage, table: "spokes" | "federations", id: string, of: { spokeId?: string }) {
  return db.transact(async (tx) => {
    const gone = { state: "removed" as const, removedAt: await db.now() };
    await tx.updateTable(table).set(gone).where("id", "=", id).execute();
    await recordChange(tx, SYSTEM_REQUESTER, { events: [{ federationId: hub, ...of, state: "removed" }] });
  });
}

function recordSpokeEvent({ db, hub }: Stage, spokeId: string): Promise<unknown> {
  return db.transact((tx) =>
    recordChange(tx, SYSTEM_REQUESTER, { events: [{ federationId: hub, spokeId, state: "active" }] })
  );
}

/** Opens a stream on the other replica and waits until it is live. */
async function follow(stage: Stage, actor: Actor) {
  const { there, hub, elm } = stage;
  const federation = (await findFederation(there.db.rows, hub, "hidden"))!;
  const { last: since } = await readStreamBounds(there.db.rows, hub);
  const frames = readFrames<StreamFrame>(
    openHubEventStream(there, actor, federation, { since, signal: new AbortController().signal }),
  );
  const next = async (): Promise<string | undefined> => {
    for (;;) {
      const { value, done } = await frames.next();
      if (done) return undefined;
      if ("comment" in value && value.comment !== "following") return value.comment; // no event arrived
      if ("event" in value) return `${value.data.state} ${value.data.spokeId}`;
    }
  };
  const first = next();
  await recordSpokeEvent(stage, elm);
  assert.is(await first, `active ${elm}`);
  return {
    next,
    close: () => frames.return(undefined),
    /** The stream would notice within seconds. A wake-up for its user must make it check earlier. */
    async endsAfter(deed: () => Promise<unknown>): Promise<void> {
      const ended = next();
      let isWoken = false;
      const stop = there.db.wakeups.subscribe(`user:${actor.userId}`, () => void (isWoken = true));
      await deed();
      const last = await ended;
      stop();
      await frames.return(undefined); // an open stream would keep this process alive
      assert.is(last, undefined);
      assert.ok(isWoken, "wakes the other replica");
    },
  };
}

async function signIn(app: App, person: TestUser, credential: "session" | "token"): Promise<Actor> {
  const headers: Record<string, string> = credential === "session"
    ? { cookie: `wheelwright=${(await createTestSession(app.db, person)).secret}` }
    : { authorization: `Bearer ${(await createTestToken(app.db, person, "readonly")).plaintext}` };
  return (await authenticate(app, new Request("http://x/", { headers }), { ip: "192.0.2.1", userAgent: "test" }))!;
}
