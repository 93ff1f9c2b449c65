import { CompiledQuery, sql as raw } from "kysely";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { App } from "#lib/app.ts";
import { authenticate } from "#lib/domains/auth/authenticate.ts";
import { createAuthorizedDatabase } from "#lib/domains/auth/authorize-transactions.ts";
import { createTestApp } from "#test/support/app.ts";
import { AWAITED_LOCKS_QUERY, openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { addHubAdmin, addSpokeAdmin, createTestSession, createTestToken, createTestUser } from "#test/support/users.ts";
import { insertHub, insertSpoke } from "#test/support/insert-rows.ts";
import { rejection, until } from "#test/support/until.ts";

const test = suite<{ db: TestDatabase; app: App }>("authorizeTransactions");
test.before(async (context) => {
  context.db = await openTestDatabase();
  context.app = await createTestApp(context.db);
});
test.after(async ({ app, db }) => {
  app.feeds.close();
  await db.close();
});

const ORIGIN = { ip: "192.0.2.1", userAgent: "test" };
type CredentialKind = "session" | "token";

/** Statements that revoke a permission of user $1, and the error of the next transaction. */
const TAKES: readonly (readonly [what: string, means: CredentialKind, sql: string, code: string])[] = [
  ["its session", "session", "update sessions set ended_at = now() where user_id = $1", "sign_in_required"],
  ["its token", "token", "update api_tokens set revoked_at = now() where user_id = $1", "bad_credentials"],
  ["the use of its account", "session", "update users set disabled_at = now() where id = $1", "sign_in_required"],
  ["the operator's role", "token", "update users set operator = false where id = $1", "access_changed"],
  ["the proof of its address", "token", "update users set email_verified_at = null where id = $1", "access_changed"],
  ["a hub", "session", "delete from federation_members where user_id = $1", "access_changed"],
  ["a spoke", "token", "delete from spoke_members where user_id = $1", "access_changed"],
];

for (const [i, [what, means, sql, code]] of TAKES.entries()) {
  test(`reports the loss of ${what} only once nothing can use it`, async ({ db, app }) => {
    const { id, actor } = await someone(db, app, `someone-${i}`, means);
    const begun = Promise.withResolvers<void>(), end = Promise.withResolvers<void>(), order: string[] = [];
    const change = createAuthorizedDatabase(app, actor).db.transact(async () => {
      begun.resolve();
      await end.promise;
      order.push("done");
    });
    await begun.promise;
    const taking = db.transact(async (tx) => {
      await tx.executeQuery(CompiledQuery.raw(sql, [id]));
      tx.wakes.add(`user:${id}`);
    }).then(() => order.push("told"));
    await until(async () => (await db.sql(AWAITED_LOCKS_QUERY)).length > 0);
    const late = rejection(
      createAuthorizedDatabase(app, actor).db.transact(() => Promise.resolve(order.push("too late"))),
    );
    assert.equal(order, []);
    end.resolve();
    await Promise.all([change, taking]);
    assert.equal(order, ["done", "told"]);
    assert.is((await late).code, code);
  });
}

/** Statements that change the memberships of user $1 without revoking anything. */
const CHANGES: readonly (readonly [what: string, sql: string])[] = [
  [
    "another spoke of the user is removed",
    `update spokes set state = 'removed', removed_at = now()
      where id in (select spoke_id from spoke_members where user_id = $1)`,
  ],
  [
    "the user's hub is removed",
    `update federations set state = 'removed', removed_at = now()
      where id in (select federation_id from federation_members where user_id = $1)`,
  ],
  [
    "the user becomes an admin of the spoke's hub",
    `insert into federation_members (federation_id, user_id) select federation_id, $1 from spokes
      where id in (select spoke_id from spoke_members where user_id = $1)`,
  ],
];

for (const [i, [what, sql]] of CHANGES.entries()) {
  test(`commits although ${what} meanwhile`, async ({ db, app }) => {
    const { id, actor } = await someone(db, app, `late-change-${i}`, "session");
    await db.sql(sql, [id]);
    assert.is(await createAuthorizedDatabase(app, actor).db.transact(() => Promise.resolve("done")), "done");
  });
}

test("runs COMMIT through the caller's function, even if the clock stands still", async ({ db, app }) => {
  const { actor } = await someone(db, app, "committer", "token"), order: string[] = [];
  const onCommit = async <T>(commit: () => Promise<T>): Promise<T> => {
    order.push("commit");
    return await commit().finally(() => order.push("committed"));
  };
  await createAuthorizedDatabase(app, actor, onCommit).db.transact(() => Promise.resolve(order.push("work")));
  assert.equal(order, ["work", "commit", "committed"]);
});

test("reports a revocation only after the transaction, even if that takes longer than one lock wait", async ({ db }) => {
  const impatient = await db.openAgain({ size: 4, lockLimit: 50 }), app = await createTestApp(impatient);
  const { id, actor } = await someone(db, app, "long", "session");
  const begun = Promise.withResolvers<void>(), end = Promise.withResolvers<void>(), order: string[] = [];
  const change = createAuthorizedDatabase(app, actor).db.transact(async () => {
    begun.resolve();
    await end.promise;
    order.push("done");
  });
  await begun.promise;
  const taking = impatient.transact((tx) => Promise.resolve(void tx.wakes.add(`user:${id}`))).then(() =>
    order.push("told")
  );
  const begins = new Set<number>(); // start times of the waits; each has its own
  const hasRetried = async () => {
    const waiting = await db.sql(AWAITED_LOCKS_QUERY);
    for (const { waitstart } of waiting) if (waitstart) begins.add(waitstart.getTime());
    return begins.size > 1;
  };
  await until(hasRetried);
  assert.equal(order, []);
  end.resolve();
  await Promise.all([change, taking]);
  assert.equal(order, ["done", "told"]);
  app.feeds.close();
});

test("releases the connection if the lock is not acquired in time", async ({ db }) => {
  const impatient = await db.openAgain({ size: 1, lockLimit: 50 }), app = await createTestApp(impatient);
  const { id, actor } = await someone(db, app, "late", "session");
  await db.transact(async (tx) => {
    await raw`select pg_advisory_xact_lock(hashtextextended(${`wheelwright: held ${id}`}, 0))`.execute(tx);
    const fault = await rejection(createAuthorizedDatabase(app, actor).db.transact(() => Promise.resolve()));
    assert.is(fault.code, "database_locked");
  });
  assert.ok(await impatient.now());
  await impatient.transact(async (tx) => void await tx.selectFrom("users").select("id").execute());
  app.feeds.close();
});

test.run();

/** Creates a user with every permission, and the actor of a request. */
async function someone(db: TestDatabase, app: App, name: string, means: CredentialKind) {
  const person = await createTestUser(db, name, { operator: true });
  const hub = await insertHub(db, person.id, name),
    spoke = await insertSpoke(db, person.id, await insertHub(db, person.id, `${name}-2`), name);
  await addHubAdmin(db, person, hub);
  await addSpokeAdmin(db, person, spoke);
  if (/-[56]$|^late/.test(name)) await db.sql("update users set operator = false where id = $1", [person.id]);
  const headers: Record<string, string> = means === "session"
    ? { cookie: `wheelwright=${(await createTestSession(db, person)).secret}` }
    : { authorization: `Bearer ${(await createTestToken(db, person, "cli")).plaintext}` };
  const actor = await authenticate(app, new Request("http://localhost:3000/", { headers }), ORIGIN);
  return { id: person.id, actor: actor! };
}
