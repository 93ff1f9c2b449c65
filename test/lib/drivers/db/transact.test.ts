import { sql } from "kysely";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Tx } from "#lib/drivers/db/database.ts";
import { CommitUnknown, ConnectionLost, hasSqlState } from "#lib/drivers/db/faults.ts";
import { getUserLockKey } from "#lib/drivers/db/dialect.ts";
import { openDatabase } from "#lib/drivers/db/open.ts";
import { SILENT_LOG } from "#lib/base/log.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { recordTelemetry } from "#test/support/recorded-telemetry.ts";
import { openProxy } from "#test/support/proxy.ts";
import { rejection, until } from "#test/support/until.ts";

const test = suite<{ db: TestDatabase }>("transact");

test.before.each(async (context) => {
  context.db = await openTestDatabase({ size: 2 });
});
test.after.each(async ({ db }) => await db.close());

const addUser = (tx: Tx, id: string) =>
  tx.insertInto("users").values({ id, email: `${id}@example.org`, displayName: id }).execute();
const userIds = async (db: TestDatabase) => (await db.sql("select id from users order by id")).map((row) => row.id);
const pidOf = async (tx: Tx) => (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx)).rows[0]!.pid;

test("commits when the work returns and rolls back when it throws", async ({ db }) => {
  assert.is(await db.transact(async (tx) => (await addUser(tx, "a"), 7)), 7);
  const reason = new Error("Changed my mind");
  assert.is(await rejection(db.transact(async (tx) => (await addUser(tx, "b"), Promise.reject(reason)))), reason);
  assert.equal(await userIds(db), ["a"]);
});

test("records one span per transaction, whatever the number of attempts", async ({ db }) => {
  const { telemetry, spans } = recordTelemetry(), heard = await db.openAgain({ telemetry });
  let attempts = 0;
  await heard.transact(async (tx) => {
    if (++attempts === 1) await sql`do $$ begin raise exception 'x' using errcode = '40P01'; end $$`.execute(tx);
  });
  await rejection(heard.transact(() => Promise.reject(new Error("Changed my mind"))));
  assert.equal(spans.map(({ kind, outcome }) => [kind, outcome]), [
    ["transaction", "succeeded"],
    ["transaction", "failed"],
  ]);
  assert.is(attempts, 2);
});

test("runs concurrent statements of a transaction in order", async ({ db }) => {
  await db.transact(async (tx) => {
    const counts = Array.from({ length: 20 }, (_, n) => {
      const added = addUser(tx, `u${String(n).padStart(2, "0")}`);
      const count = tx.selectFrom("users").select((is) => is.fn.countAll<string>().as("n")).executeTakeFirstOrThrow();
      return Promise.all([count, added]);
    });
    assert.equal((await Promise.all(counts)).map(([{ n }]) => Number(n)), Array.from({ length: 20 }, (_, n) => n + 1));
  });
});

test("throws the first error and rolls back", async ({ db }) => {
  const failure = await rejection(db.transact(async (tx) => {
    await Promise.all([addUser(tx, "a"), sql`select 1 / 0`.execute(tx), addUser(tx, "b")]);
  }));
  assert.ok(hasSqlState(failure, "22012"), String(failure));
  assert.equal(await userIds(db), []);
});

test("throws the error of BEGIN instead of the first statement's error", async ({ db }) => {
  const taken = Promise.withResolvers<void>(), over = Promise.withResolvers<void>();
  const other = db.transact(async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended(${getUserLockKey("usr_a")}, 0))`.execute(tx);
    taken.resolve();
    await over.promise;
  });
  await taken.promise;
  const hasty = await db.openAgain({ size: 1, lockLimit: 50 });
  const failure = await rejection(
    hasty.holding({ user: "usr_a", check: async (tx) => void await addUser(tx, "held") }).transact(pidOf),
  );
  assert.match(String((failure as Error).cause ?? failure), "lock timeout");
  over.resolve();
  await other;
  await hasty.holding({ user: "usr_a", check: async (tx) => void await addUser(tx, "held") }).transact(pidOf);
  assert.equal(await userIds(db), ["held"]);
});

test("does not run leftover statements of a failed transaction", async ({ db }) => {
  const reason = new Error("Changed my mind");
  let behind: Promise<unknown> | undefined;
  assert.is(
    await rejection(db.transact(async (tx) => {
      const go = Promise.withResolvers<void>();
      behind = rejection(go.promise.then(() => addUser(tx, "late")));
      await pidOf(tx);
      queueMicrotask(go.resolve);
      throw reason;
    })),
    reason,
  );
  assert.match(((await behind) as Error).message, "has ended");
  assert.equal(await userIds(db), []);
});

test("never continues a transaction on another connection", async ({ db }) => {
  const one = await db.openAgain({ size: 1 });
  const killed = Promise.withResolvers<void>(),
    inside = Promise.withResolvers<void>(),
    over = Promise.withResolvers<void>();
  const dead = rejection(one.transact(async (tx) => {
    await addUser(tx, "a1");
    await db.sql("select pg_terminate_backend($1)", [await pidOf(tx)]);
    killed.resolve();
    await inside.promise; // the other transaction has started on the only connection
    await addUser(tx, "a2").catch(() => {}); // and this one ignores it and commits
    over.resolve();
  }));
  await killed.promise;
  const undone = rejection(one.transact(async (tx) => {
    await addUser(tx, "b1");
    inside.resolve();
    await over.promise;
    await dead.catch(() => {});
    throw new Error("The second wants nothing kept");
  }));
  undone.then(() => inside.resolve()); // if it never starts, nobody should wait for it
  assert.instance(await dead, ConnectionLost);
  assert.match((await undone).message, /second wants nothing/);
  assert.equal(await userIds(db), []);
  await one.close();
});

test("does not report a transaction with a failed statement as committed", async ({ db }) => {
  const failure = await rejection(db.transact(async (tx) => {
    await addUser(tx, "a");
    await addUser(tx, "a").catch(() => {});
  }));
  assert.match(failure.message, /rolled back/);
  assert.equal(await userIds(db), []);
});

test("throws CommitUnknown if the answer to COMMIT is lost", async ({ db }) => {
  const proxy = await openProxy(db.url);
  const far = await openDatabase({ url: proxy.url, size: 1, log: SILENT_LOG });
  const sent = Promise.withResolvers<void>();
  proxy.watch((bytes) => {
    const isCommit = new TextDecoder().decode(bytes).includes("commit\0");
    if (isCommit) sent.resolve();
    return !isCommit;
  });
  const failure = rejection(far.transact((tx) => addUser(tx, "a")));
  await sent.promise;
  await until(async () => (await userIds(db)).length === 1);
  proxy.cut();
  assert.instance(await failure, CommitUnknown);
  await far.close();
  await proxy.close();
});

test("rejects statements after the end of the transaction", async ({ db }) => {
  const scene = await db.transact((tx) => Promise.resolve({ tx }));
  assert.match((await rejection(addUser(scene.tx, "late"))).message, /has ended/);
  assert.equal(await userIds(db), []);
});

test("retries after a deadlock, so that both transactions commit", async ({ db }) => {
  await db.transact(async (tx) => (await addUser(tx, "a"), await addUser(tx, "b")));
  const met = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
  let runs = 0;
  const rename = (tx: Tx, id: string) =>
    tx.updateTable("users").set((eb) => ({ displayName: eb("displayName", "||", sql<string>`'+'`) })).where(
      "id",
      "=",
      id,
    )
      .execute();
  const cross = (first: string, second: string, mine: 0 | 1) =>
    db.transact(async (tx) => {
      runs++;
      await rename(tx, first);
      met[mine].resolve();
      await met[1 - mine]!.promise;
      await rename(tx, second);
    });
  await Promise.all([cross("a", "b", 0), cross("b", "a", 1)]);
  assert.equal((await db.sql("select display_name as name from users order by id")).map((row) => row.name), [
    "a++",
    "b++",
  ]);
  assert.ok(runs > 2, "there was no deadlock");
});

test("survives a migration that invalidates all prepared statements", async ({ db }) => {
  const more = await db.openAgain({ size: 6, waitLimit: 60_000 }),
    tables = ["users", "federations", "spokes", "jobs", "backups"] as const;
  const look = (tx: Tx) =>
    Promise.all(tables.map((table) => tx.selectFrom(table).selectAll().where("id", "=", "none").execute()));
  const all = () => Promise.all(Array.from({ length: 12 }, () => more.transact(look)));
  for (let i = 0; i < 3; i++) await all();
  for (const table of tables) await db.sql(`alter table ${table} add column later text`);
  await all();
});

test("throws an ignored statement error at the end, without a retry", async ({ db }) => {
  const more = await db.openAgain({ size: 6 });
  let attempts = 0;
  const failure = await rejection(more.transact(async (tx) => {
    attempts++;
    await sql`select 1 / 0`.execute(tx).catch(() => {});
    await addUser(tx, "a");
  }));
  assert.ok(hasSqlState(failure, "22012"), String(failure));
  assert.is(attempts, 1);
});

test("retries after a deadlock that a later statement reports", async ({ db }) => {
  let attempts = 0;
  await db.transact(async (tx) => {
    const fails = attempts++ === 0
      ? sql`do $$ begin raise exception 'x' using errcode = '40P01'; end $$`
      : sql`select 1`;
    await fails.execute(tx).catch(() => {});
    await addUser(tx, "a");
  });
  assert.is(attempts, 2);
  assert.equal(await userIds(db), ["a"]);
});

test.run();
