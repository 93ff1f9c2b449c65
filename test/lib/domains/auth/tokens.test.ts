import { suite } from "uvu";
import * as assert from "uvu/assert";
import * as v from "valibot";
import { BeforeCursor } from "#lib/base/schema.ts";
import type { App } from "#lib/app.ts";
import { listAuditEvents } from "#lib/audit/store.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { authenticate } from "#lib/domains/auth/authenticate.ts";
import { type ApiToken, createToken, listTokens, ownTokenAccess, revokeToken } from "#lib/domains/auth/tokens.ts";
import { HOUR } from "#lib/base/time.ts";
import { createTestApp } from "#test/support/app.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { createTestSession, createTestUser, type TestUser } from "#test/support/users.ts";
import { rejection, until } from "#test/support/until.ts";
import { selectRows, updateRows } from "#test/support/rows.ts";

const ORIGIN = { ip: "192.0.2.7", userAgent: "curl" };

interface Stage {
  db: TestDatabase;
  app: App;
  ada: Actor;
  bob: Actor;
  root: Actor;
}

const test = suite<Stage>("createToken");
const listing = suite<Stage>("listTokens");
const revoking = suite<Stage>("revokeToken");

for (const each of [test, listing, revoking]) {
  each.before.each(async (stage) => {
    stage.db = await openTestDatabase();
    stage.app = await createTestApp(stage.db);
    stage.ada = await actorOf(stage, await createTestUser(stage.db, "ada"));
    stage.bob = await actorOf(stage, await createTestUser(stage.db, "bob"));
    stage.root = await actorOf(stage, await createTestUser(stage.db, "root", { operator: true }));
  });
  each.after.each((stage) => stage.db.close());
}

test("returns the plaintext, which acts as its creator within its scope", async ({ app, ada }) => {
  const made = await createToken(app, ada, { name: "laptop", scope: "provisioning" });
  assert.match(made.token, /^ww_prv_/);
  assert.equal([made.name, made.scope, made.expiresAt, made.lastUsedAt], ["laptop", "provisioning", null, null]);
  const actor = await use(app, made.token);
  assert.equal([actor?.userId, actor?.credential], [ada.userId, {
    kind: "token",
    id: made.id,
    scope: "provisioning",
  }]);
});

test("stores neither the plaintext nor more of it than the prefix", async ({ app, db, ada }) => {
  const { token, prefix } = await createToken(app, ada, { name: "laptop", scope: "cli" });
  const [{ kept }] = await db.sql(
    "select string_agg(api_tokens::text, '') || (select string_agg(audit_events::text, '') from audit_events) as kept from api_tokens",
  );
  assert.match(prefix, /^ww_cli_.{4}$/);
  assert.match(kept, prefix);
  assert.not.match(kept, token.slice(0, prefix.length + 1));
});

test("records who created which token", async ({ app, db, ada }) => {
  const { id, prefix } = await createToken(app, ada, { name: "laptop", scope: "readonly" });
  const [event] = (await listAuditEvents(db.rows, {}, { limit: 9 })).items;
  assert.equal([event?.kind, event?.actor.id, event?.objectType, event?.objectId, event?.metadata], [
    "token_created",
    ada.userId,
    "token",
    id,
    { name: "laptop", scope: "readonly", prefix, expiresAt: null },
  ]);
});

test("rejects an expiry in the past by the service's clock, and stores nothing", async (stage) => {
  const { app, db, ada } = stage;
  const now = await db.now();
  await db.shiftClock(HOUR);
  const past = new Date(now.getTime() + HOUR / 2);
  const fault = await rejection(createToken(app, ada, { name: "late", scope: "cli", expiresAt: past }));
  assert.is(fault.code, "expiry_past");
  assert.equal(await selectRows(db, "api_tokens", {}, { columns: ["id"] }), []);
  const expiresAt = new Date(now.getTime() + 2 * HOUR);
  assert.equal((await createToken(app, ada, { name: "timely", scope: "cli", expiresAt })).expiresAt, expiresAt);
});

test.run();

listing("lists the caller's active tokens, newest first, with their last use", async (stage) => {
  const { app, db, ada, bob } = stage;
  await createToken(app, bob, { name: "bob's", scope: "cli" });
  const first = await createToken(app, ada, { name: "first", scope: "cli" });
  const second = await createToken(app, ada, { name: "second", scope: "readonly" });
  await revokeToken(app, ada, await createToken(app, ada, { name: "gone", scope: "cli" }));
  await use(app, first.token);
  const listed = (await listTokens(db.rows, ada, {})).items;
  assert.equal(listed.map(({ id }) => id), [second.id, first.id]);
  assert.is(listed[0]?.lastUsedAt, null);
  assert.instance(listed[1]?.lastUsedAt, Date);
});

listing("ends a page between tokens of the same millisecond", async ({ app, db, ada }) => {
  const made: ApiToken[] = [];
  for (const name of ["1", "2", "3", "4"]) made.push(await createToken(app, ada, { name, scope: "cli" }));
  await updateRows(db, "api_tokens", { createdAt: "2026-01-01T00:00:00Z" }, { name: ["2", "3"] });
  await updateRows(db, "api_tokens", { createdAt: "2026-01-02T00:00:00Z" }, { name: "4" });
  await updateRows(db, "api_tokens", { createdAt: "2025-12-31T00:00:00Z" }, { name: "1" });
  const first = await listTokens(db.rows, ada, { limit: 2 });
  assert.equal(first.items.map(({ name }) => name), ["4", "3"]);
  const second = await listTokens(db.rows, ada, { limit: 2, before: v.parse(BeforeCursor, first.next) });
  assert.equal(second.items.map(({ name }) => name), ["2", "1"]);
  assert.is(second.next, null);
});

listing.run();

revoking("invalidates the token on every replica before it returns", async ({ app, db, ada }) => {
  const other = { ...app, db: await db.openAgain() };
  try {
    const made = await createToken(app, ada, { name: "laptop", scope: "cli" });
    assert.ok(await use(other, made.token));
    await revokeToken(app, ada, made);
    assert.is((await rejection(use(other, made.token))).code, "bad_credentials");
  } finally {
    await other.db.close();
  }
});

revoking("wakes the token's streams", async ({ app, db, ada }) => {
  const made = await createToken(app, ada, { name: "laptop", scope: "cli" });
  let isWoken = false;
  const end = db.wakeups.subscribe(`user:${ada.userId}`, () => void (isWoken = true));
  await revokeToken(app, ada, made);
  await until(() => isWoken);
  end();
});

revoking("records who revoked whose token", async ({ app, db, ada, root }) => {
  const { id, name, prefix, ...rest } = await createToken(app, ada, { name: "laptop", scope: "cli" });
  await revokeToken(app, root, { id, name, prefix, ...rest });
  const [event] = (await listAuditEvents(db.rows, { kind: "token_revoked" }, { limit: 9 })).items;
  assert.equal([event?.actor.id, event?.objectId, event?.metadata], [
    root.userId,
    id,
    { name, prefix, userId: ada.userId },
  ]);
});

revoking("revokes once for two parallel requests", async ({ app, db, ada }) => {
  const made = await createToken(app, ada, { name: "laptop", scope: "cli" });
  const both = await Promise.allSettled([revokeToken(app, ada, made), revokeToken(app, ada, made)]);
  assert.equal(both.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
  assert.is((await listAuditEvents(db.rows, { kind: "token_revoked" }, { limit: 9 })).items.length, 1);
});

revoking("revokes only own tokens, except for operators, and none that is already revoked", async (stage) => {
  const { app, ada, bob, root } = stage;
  const made = await createToken(app, ada, { name: "laptop", scope: "cli" });
  const reach = async (actor: Actor, tokenId: string) =>
    (await ownTokenAccess.admit({ app, actor, params: { tokenId }, query: {} })).token.id;
  assert.is(await reach(ada, made.id), made.id);
  assert.is(await reach(root, made.id), made.id);
  assert.is((await rejection(reach(bob, made.id))).code, "token_missing");
  for (const id of ["", "tok_", "'; --", made.id.toUpperCase(), `${made.id}x`]) {
    assert.is((await rejection(reach(root, id))).code, "token_missing", id);
  }
  await revokeToken(app, ada, made);
  assert.is((await rejection(reach(ada, made.id))).code, "token_missing");
});

revoking.run();

async function use(app: App, token: string): Promise<Actor | null> {
  return await authenticate(app, new Request("http://x/", { headers: { authorization: `Bearer ${token}` } }), ORIGIN);
}

async function actorOf({ app, db }: Pick<Stage, "app" | "db">, person: TestUser): Promise<Actor> {
  const { secret } = await createTestSession(db, person);
  const request = new Request("http://x/", { headers: { cookie: `wheelwright=${secret}` } });
  return (await authenticate(app, request, ORIGIN))!;
}
