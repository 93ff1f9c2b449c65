/** Tests tokens that are limited to hubs, after every change of the token's owner and hubs. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { App } from "#lib/app.ts";
import { hashSecret } from "#lib/drivers/crypto/secret.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { authenticate } from "#lib/domains/auth/authenticate.ts";
import { createAuthorizedDatabase } from "#lib/domains/auth/authorize-transactions.ts";
import { createToken, type NewApiToken } from "#lib/domains/auth/tokens.ts";
import { decideEventVisibility } from "#lib/domains/federations/follow.ts";
import { createTestApp } from "#test/support/app.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { insertHub, insertSpoke } from "#test/support/insert-rows.ts";
import { deleteRows, NOW, selectRows, updateRows } from "#test/support/rows.ts";
import { addHubAdmin, addSpokeAdmin, createTestSession, createTestUser, type TestUser } from "#test/support/users.ts";
import { rejection } from "#test/support/until.ts";

const ORIGIN = { ip: "192.0.2.7", userAgent: "curl" };

interface Stage {
  db: TestDatabase;
  app: App;
  root: TestUser;
  ann: TestUser;
  bob: TestUser;
  north: string;
  south: string;
  oak: string;
}

const test = suite<Stage>("a limited token");
test.before.each(async (stage) => {
  const db = stage.db = await openTestDatabase();
  stage.app = await createTestApp(db);
  stage.root = await createTestUser(db, "root", { operator: true });
  stage.ann = await createTestUser(db, "ann");
  stage.bob = await createTestUser(db, "bob");
  stage.north = await insertHub(db, stage.root.id, "north");
  stage.south = await insertHub(db, stage.root.id, "south");
  stage.oak = await insertSpoke(db, stage.root.id, stage.north, "oak");
  for (const hub of [stage.north, stage.south]) await addHubAdmin(db, stage.ann, hub);
  await addSpokeAdmin(db, stage.bob, stage.oak);
});
test.after.each(({ db }) => db.close());

test("names its hubs by ID or slug, and stores their IDs", async (stage) => {
  const { db, ann, bob, north, south } = stage;
  const both = await make(stage, ann, ["south", north]);
  assert.equal(both.federationIds?.toSorted(), [north, south].toSorted());
  assert.equal((await make(stage, ann, ["north", north])).federationIds, [north]);
  assert.equal((await make(stage, bob, ["north"])).federationIds, [north], "the hub of an own spoke");
  assert.is((await make(stage, ann)).federationIds, null);
  const [event] = await selectRows(db, "audit_events", { kind: "token_created", objectId: both.id });
  assert.equal((event.metadata as { federationIds: string[] }).federationIds, both.federationIds);
});

test("cannot name a hub that its owner does not see", async (stage) => {
  const { db, bob, south } = stage;
  await updateRows(db, "federations", { state: "removed", removedAt: NOW }, { slug: "north" });
  for (const hubs of [["south"], [south], ["north"], ["nowhere"], ["%"]]) {
    const fault = await rejection(make(stage, bob, hubs));
    assert.equal([fault.code, fault.message], [
      "federation_missing",
      `There is no hub ${hubs[0]}, or you have no access to it`,
    ]);
  }
  assert.equal(await selectRows(db, "api_tokens", {}), []);
});

test("gives an operator the rights of a hub admin, and a hub admin those within the limit", async (stage) => {
  const { root, ann, bob, north, oak } = stage;
  assert.equal(await rightsOf(stage, root, ["north"]), ["hub_admin", [north], []]);
  assert.equal(await rightsOf(stage, ann, ["north"]), ["hub_admin", [north], []]);
  assert.equal(await rightsOf(stage, bob, ["north"]), ["spoke_admin", [], [oak]]);
});

test("never gains rights if its hubs or its owner's rights are lost", async (stage) => {
  const { db, root, ann, north, south } = stage;
  const tokens = [await make(stage, root, ["north"]), await make(stage, ann, ["north"])];
  const rights = async () => (await Promise.all(tokens.map((token) => use(stage, token)))).map(summarize);
  await updateRows(db, "users", { operator: false }, { id: root.id });
  assert.equal(await rights(), [["spoke_admin", [], []], ["hub_admin", [north], []]], "the operator is demoted");
  await addHubAdmin(db, root, south);
  await deleteRows(db, "federation_members", { userId: ann.id, federationId: north });
  assert.equal(await rights(), [["spoke_admin", [], []], ["spoke_admin", [], []]], "memberships outside of the limit");
  await updateRows(db, "users", { operator: true }, { id: root.id });
  await updateRows(db, "federations", { state: "removed", removedAt: NOW }, { id: north });
  assert.equal(await rights(), [["spoke_admin", [], []], ["spoke_admin", [], []]], "the hub is removed");
  await updateRows(db, "api_tokens", { federationIds: "{}" });
  assert.equal(await rights(), [["spoke_admin", [], []], ["spoke_admin", [], []]], "the list is empty");
  await updateRows(db, "api_tokens", { federationIds: null });
  assert.equal(await rights(), [null, null], "without its list, the token is unknown");
});

test("is unknown to a release that does not know limits", async (stage) => {
  const { db, ann } = stage, { id, token } = await make(stage, ann, ["north"]);
  const [row] = await selectRows(db, "api_tokens", { id });
  assert.not.equal(row.tokenHash, hashSecret(token));
  const unlimited = await make(stage, ann), [plain] = await selectRows(db, "api_tokens", { id: unlimited.id });
  assert.equal(new Uint8Array(plain.tokenHash), new Uint8Array(hashSecret(unlimited.token)));
});

test("loses rights in the middle of a request", async (stage) => {
  const { db, app, root } = stage, actor = (await use(stage, await make(stage, root, ["north"])))!;
  const held = createAuthorizedDatabase(app, actor).db;
  await held.transact(async () => {});
  await updateRows(db, "users", { operator: false }, { id: root.id });
  assert.is((await rejection(held.transact(async () => {}))).code, "access_changed");
});

test("follows only its hubs' events, without the details for operators", async (stage) => {
  const { db, root, ann, bob, north, south, oak } = stage, followers = [];
  for (const person of [root, ann, bob]) {
    const { id: credentialId } = await make(stage, person, ["north"]);
    followers.push(...[north, south].map((federationId) => ({ credentialId, userId: person.id, federationId })));
  }
  const decided = (await decideEventVisibility(db.rows, followers)).map((one) => one?.visibility ?? null);
  assert.equal(decided, ["plain", null, "plain", null, new Set([oak]), null]);
});

test("records from where it was last used", async (stage) => {
  const { db, ann } = stage, token = await make(stage, ann, ["north"]);
  assert.equal([token.lastUsedAt, token.lastUsedIp, token.lastUsedAgent], [null, null, null]);
  await use(stage, token);
  const [row] = await selectRows(db, "api_tokens", { id: token.id });
  assert.equal([row.lastUsedIp, row.lastUsedAgent], ["192.0.2.7", "curl"]);
});

test.run();

async function make({ app, db }: Stage, person: TestUser, federationIds?: string[]): Promise<NewApiToken> {
  const { secret } = await createTestSession(db, person);
  const request = new Request("http://x/", { headers: { cookie: `wheelwright=${secret}` } });
  const actor = (await authenticate(app, request, ORIGIN))!;
  return await createToken(app, actor, { name: "laptop", scope: "cli", federationIds });
}

/** Returns the caller, or null if the token is not valid. */
async function use({ app }: Stage, { token }: NewApiToken): Promise<Actor | null> {
  const request = new Request("http://x/", { headers: { authorization: `Bearer ${token}` } });
  return await authenticate(app, request, ORIGIN).catch((error) => {
    assert.is(error.code, "bad_credentials");
    return null;
  });
}

async function rightsOf(stage: Stage, person: TestUser, hubs: string[]) {
  return summarize(await use(stage, await make(stage, person, hubs)));
}

function summarize(actor: Actor | null) {
  return actor && [actor.role, actor.federationIds, actor.spokeIds];
}
