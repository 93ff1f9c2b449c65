/** Tests which events a credential can see, after every change of the credential, its user and the objects. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { StreamFollower } from "#lib/events/visibility.ts";
import { decideEventVisibility } from "#lib/domains/federations/follow.ts";
import { MINUTE } from "#lib/base/time.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { addHubAdmin, addSpokeAdmin, createTestSession, createTestToken, createTestUser } from "#test/support/users.ts";
import { insertHub, insertSpoke } from "#test/support/insert-rows.ts";
import { deleteRows, NOW, updateRows } from "#test/support/rows.ts";

const test = suite<{ db: TestDatabase }>("decideVisibility");
test.before.each(async (context) => void (context.db = await openTestDatabase()));
test.after.each(({ db }) => db.close());

/**
 * Creates a hub with two spokes, a hub admin, a spoke admin, an operator and a stranger, each with a session and a
 * token.
 */
async function arrange(db: TestDatabase) {
  const root = await createTestUser(db, "root", { operator: true }), ann = await createTestUser(db, "ann");
  const bob = await createTestUser(db, "bob"), eve = await createTestUser(db, "eve");
  const hub = await insertHub(db, root.id, "north"), oak = await insertSpoke(db, root.id, hub, "oak");
  await insertSpoke(db, root.id, hub, "elm");
  await addHubAdmin(db, ann, hub);
  await addSpokeAdmin(db, bob, oak);
  const followers: StreamFollower[] = [];
  for (const { id: userId, ...person } of [root, ann, bob, eve]) {
    const tokens = [
      await createTestToken(db, { id: userId, ...person }, "readonly", new Date(Date.now() + 60 * MINUTE)),
    ];
    const all = [await createTestSession(db, { id: userId, ...person }), ...tokens];
    followers.push(...all.map(({ id: credentialId }) => ({ credentialId, userId, federationId: hub })));
  }
  const look = async () =>
    (await decideEventVisibility(db.rows, followers)).map((made) =>
      made?.visibility instanceof Set ? [...made.visibility] : made?.visibility ?? null
    );
  return { root, ann, bob, hub, oak, look, followers };
}

test("is everything for operators, reduced for hub admins, own spokes for spoke admins, and nothing for others", async ({ db }) => {
  const { look, oak, followers } = await arrange(db);
  assert.equal(await look(), ["all", "all", "plain", "plain", [oak], [oak], null, null]);
  assert.equal(
    await decideEventVisibility(db.rows, [{
      ...followers[2]!,
      federationId: await insertHub(db, followers[0]!.userId),
    }]),
    [
      null,
    ],
  );
});

test("is nothing for an ended session or a revoked token", async ({ db }) => {
  const { look, root, ann } = await arrange(db);
  await updateRows(db, "sessions", { endedAt: NOW }, { userId: root.id });
  await updateRows(db, "api_tokens", { revokedAt: NOW }, { userId: ann.id });
  assert.equal((await look()).slice(0, 4), [null, "all", "plain", null]);
});

test("is nothing for an expired token or an idle session", async ({ db }) => {
  const { look } = await arrange(db);
  await db.shiftClock(61 * MINUTE);
  assert.equal((await look()).slice(0, 2), ["all", null]);
  await db.shiftClock(13 * 60 * MINUTE);
  assert.equal((await look()).slice(0, 2), [null, null]);
});

test("is nothing for a disabled user or an unverified address", async ({ db }) => {
  const { look, root, ann } = await arrange(db);
  await updateRows(db, "users", { disabledAt: NOW }, { id: root.id });
  await updateRows(db, "users", { emailVerifiedAt: null }, { id: ann.id });
  assert.equal((await look()).slice(0, 4), [null, null, null, null]);
});

test("follows a demotion and a lost membership", async ({ db }) => {
  const { look, root, ann, oak } = await arrange(db);
  await updateRows(db, "users", { operator: false }, { id: root.id });
  await deleteRows(db, "federation_members", { userId: ann.id });
  await addSpokeAdmin(db, ann, oak);
  assert.equal((await look()).slice(0, 4), [null, null, [oak], [oak]]);
});

test("continues for five minutes after the removal of a spoke or hub", async ({ db }) => {
  const { look, hub, oak } = await arrange(db);
  const gone = "set state = 'removed', removed_at = wheelwright_now()";
  await db.sql(`update spokes ${gone} where id = $1`, [oak]);
  await db.sql(`update federations ${gone} where id = $1`, [hub]);
  await db.shiftClock(4 * MINUTE);
  assert.equal((await look()).slice(0, 6), ["all", "all", "plain", "plain", [oak], [oak]]);
  await db.shiftClock(6 * MINUTE);
  assert.equal((await look()).slice(0, 6), ["all", "all", null, null, null, null]);
});

test.run();
