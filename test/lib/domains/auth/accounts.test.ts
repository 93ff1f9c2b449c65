/**
 * Tests operators who change each other at the same time on two replicas. One operator always remains, and users are
 * notified of the changes.
 */
import { CompiledQuery } from "kysely";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { App } from "#lib/app.ts";
import { patchUser } from "#lib/domains/auth/accounts.ts";
import { authenticate } from "#lib/domains/auth/authenticate.ts";
import { findUserRecord } from "#lib/domains/users/records.ts";
import type { UserPatch } from "#lib/domains/users/views.ts";
import { createTestApp } from "#test/support/app.ts";
import { AWAITED_LOCKS_QUERY, openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { createTestSession, createTestUser, type TestUser } from "#test/support/users.ts";
import { until } from "#test/support/until.ts";

interface Stage {
  db: TestDatabase;
  apps: readonly App[];
}

const test = suite<Stage>("patchUser");

test.before(async (stage) => {
  stage.db = await openTestDatabase();
  const app = await createTestApp(stage.db);
  stage.apps = [app, { ...app, db: await stage.db.openAgain() }];
});
test.before.each(async ({ db }) => {
  await db.sql("update users set operator = false");
});
test.after(({ db }) => db.close());

test("keeps one of two operators who demote or disable each other at the same time", async (stage) => {
  const { db } = stage;
  for (const patch of [{ operator: false }, { disabled: true }] as const) {
    for (let round = 0; round < 5; round++) {
      await db.sql("update users set operator = false");
      const [ada, bob] = [await makeOperator(db), await makeOperator(db)];
      const done = await Promise.allSettled([
        applyPatch(stage, 0, ada, bob, patch),
        applyPatch(stage, 1, bob, ada, patch),
      ]);
      assert.equal(done.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
      const refused = done.find((one) => one.status === "rejected")!;
      assert.is(refused.reason.code, "last_operator");
      assert.is(await operators(db), 1);
    }
  }
});

test("keeps one of ten operators who all demote themselves at the same time", async (stage) => {
  const all: TestUser[] = [];
  for (let i = 0; i < 10; i++) all.push(await makeOperator(stage.db));
  const done = await Promise.allSettled(all.map((one, i) => applyPatch(stage, i % 2, one, one, { operator: false })));
  assert.is(done.filter(({ status }) => status === "fulfilled").length, 9);
  assert.is(await operators(stage.db), 1);
});

test("prevents users from restoring a permission that is being revoked", async (stage) => {
  const { db } = stage;
  await makeOperator(db);
  for (
    const [take, give] of [["operator = false", { operator: true }], ["disabled_at = now()", {
      disabled: false,
    }]] as const
  ) {
    const bob = await makeOperator(db), taken = Promise.withResolvers<void>(), commit = Promise.withResolvers<void>();
    const taking = db.transact(async (tx) => {
      await tx.executeQuery(CompiledQuery.raw(`update users set ${take} where id = $1`, [bob.id]));
      taken.resolve();
      await commit.promise;
    });
    await taken.promise;
    const giving = applyPatch(stage, 1, bob, bob, give);
    await until(async () => (await db.sql(AWAITED_LOCKS_QUERY)).length > 0);
    commit.resolve();
    await Promise.all([taking, giving]);
    const [row] = await db.sql("select operator and disabled_at is null as acts from users where id = $1", [bob.id]);
    assert.is(row.acts, false);
  }
});

test("wakes the streams of promoted, demoted and disabled users, but not of renamed ones", async (stage) => {
  const ann = await makeOperator(stage.db), bob = await createTestUser(stage.db, "bob");
  const woken: (keyof UserPatch)[] = [];
  for (const patch of [{ displayName: "Bob" }, { operator: true }, { operator: false }, { disabled: true }]) {
    const [field] = Object.keys(patch) as (keyof UserPatch)[];
    const end = stage.apps[0]!.db.wakeups.subscribe(`user:${bob.id}`, () => woken.push(field!));
    await applyPatch(stage, 0, ann, bob, patch);
    end();
  }
  assert.equal(woken, ["operator", "operator", "disabled"]);
});

test.run();

async function makeOperator(db: TestDatabase): Promise<TestUser> {
  return await createTestUser(db, crypto.randomUUID(), { operator: true });
}

async function applyPatch({ db, apps }: Stage, replica: number, by: TestUser, to: TestUser, patch: Partial<UserPatch>) {
  const app = apps[replica]!, cookie = `wheelwright=${(await createTestSession(db, by)).secret}`;
  const actor = await authenticate(app, new Request("http://x/", { headers: { cookie } }), { ip: "", userAgent: "" });
  const user = (await findUserRecord(app.db.rows, to.id))!;
  const nothing = { displayName: undefined, operator: undefined, disabled: undefined };
  if (!actor) return await Promise.reject(Object.assign(new Error("too late"), { code: "last_operator" }));
  return await patchUser(app, actor, user, { ...nothing, ...patch });
}

async function operators(db: TestDatabase): Promise<number> {
  const [row] = await db.sql("select count(*)::int as n from users where operator and disabled_at is null");
  return row.n;
}
