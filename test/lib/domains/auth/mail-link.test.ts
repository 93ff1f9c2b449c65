import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { App } from "#lib/app.ts";
import { authenticate } from "#lib/domains/auth/authenticate.ts";
import {
  findMailLink,
  type MailLink,
  redeemMailLink,
  requireMailLink,
  takeOverAccount,
} from "#lib/domains/auth/mail-link.ts";
import { addOneTimeTokenSecret, createOneTimeToken } from "#lib/domains/auth/one-time-tokens.ts";
import { createAuthorizedDatabase } from "#lib/domains/auth/authorize-transactions.ts";
import { createToken } from "#lib/domains/auth/tokens.ts";
import { createTestApp } from "#test/support/app.ts";
import { AWAITED_LOCKS_QUERY, openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { createTestSession, createTestToken, createTestUser, type TestUser } from "#test/support/users.ts";
import { rejection, until } from "#test/support/until.ts";

const ORIGIN = { ip: "192.0.2.7", userAgent: "Firefox" };

interface Stage {
  db: TestDatabase;
  app: App;
}

const test = suite<Stage>("takeOverAccount");

test.before(async (stage) => {
  stage.db = await openTestDatabase();
  stage.app = await createTestApp(stage.db);
});
test.after((stage) => stage.db.close());

async function linkOf({ db }: Stage, { id }: TestUser): Promise<MailLink> {
  const secret = await db.transact(async (tx) =>
    (await addOneTimeTokenSecret(tx, (await createOneTimeToken(tx, "invitation", id)).id))!
  );
  return await requireMailLink(db.rows, "invitation", secret);
}

async function actorOf({ db, app }: Stage, person: TestUser) {
  const { secret } = await createTestSession(db, person);
  const request = new Request("http://localhost:3000/", { headers: { cookie: `wheelwright=${secret}` } });
  return (await authenticate(app, request, ORIGIN))!;
}

test("leaves no token that is created at the same moment", async (stage) => {
  const { db, app } = stage;
  const ada = await createTestUser(db, "ada", { verified: false });
  const actor = await actorOf(stage, ada), link = await linkOf(stage, ada);
  const settled = Promise.withResolvers<void>(), commit = Promise.withResolvers<void>();
  const accepting = db.transact(async (tx) => {
    await takeOverAccount(tx, await redeemMailLink(tx, link), { passwordHash: "new" });
    settled.resolve();
    await commit.promise;
  });
  await settled.promise;
  const held = { ...app, db: createAuthorizedDatabase(app, actor).db };
  const minting = rejection(createToken(held, actor, { name: "late", scope: "cli" }));
  await until(async () => (await db.sql(AWAITED_LOCKS_QUERY)).length > 0);
  commit.resolve();
  await accepting;
  assert.is((await minting).code, "sign_in_required");
  assert.equal(await db.sql("select id from api_tokens where user_id = $1 and revoked_at is null", [ada.id]), []);
});

test("revokes tokens, except kept ones of a verified address, and returns their audit events", async (stage) => {
  const { db } = stage;
  for (const [name, verified] of [["bob", false], ["eve", true]] as const) {
    const person = await createTestUser(db, name, { verified }), token = await createTestToken(db, person, "cli");
    const link = await linkOf(stage, person);
    const entries = await db.transact(async (tx) =>
      await takeOverAccount(tx, await redeemMailLink(tx, link), {
        passwordHash: null,
        displayName: "Another",
        keepTokens: true,
      })
    );
    assert.equal(entries.map(({ kind, objectId }) => [kind, objectId]), verified ? [] : [["token_revoked", token.id]]);
    const [row] = await db.sql("select * from users where id = $1", [person.id]);
    assert.equal([row.passwordHash, row.displayName, row.emailVerifiedAt !== null], [null, "Another", true]);
  }
});

test("wakes the streams of ended sessions and tokens", async (stage) => {
  const { db } = stage, dan = await createTestUser(db, "dan"), link = await linkOf(stage, dan);
  let isWoken = false;
  const end = db.wakeups.subscribe(`user:${dan.id}`, () => void (isWoken = true));
  await db.transact(async (tx) =>
    void await takeOverAccount(tx, await redeemMailLink(tx, link), { passwordHash: null })
  );
  await until(() => isWoken);
  end();
});

test("succeeds for only one of several parallel uses", async (stage) => {
  const { db } = stage, fay = await createTestUser(db, "fay"), link = await linkOf(stage, fay);
  const uses = await Promise.allSettled(
    Array.from({ length: 20 }, () => db.transact(async (tx) => void await redeemMailLink(tx, link))),
  );
  assert.is(uses.filter(({ status }) => status === "fulfilled").length, 1);
  assert.is(await findMailLink(db.rows, "invitation", link.secret), null);
});

test.run();
