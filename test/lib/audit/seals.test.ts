/** Tests sealing: in batches, in order, once per event, with concurrent sealers and after crashes. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SYSTEM_REQUESTER } from "#lib/audit/requester.ts";
import { formatChainHead } from "#lib/audit/chain.ts";
import { findUnsealedChains, readChainSeal, sealNextEvents } from "#lib/audit/seals.ts";
import { insertAuditEvents } from "#lib/audit/store.ts";
import { verifyChain } from "#lib/audit/verify.ts";
import { LATER, sealAll, tamper, write } from "#test/lib/audit/scene.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { insertHub, insertUser } from "#test/support/insert-rows.ts";
import { rejection } from "#test/support/until.ts";
import { selectRows } from "#test/support/rows.ts";

const test = suite<{ db: TestDatabase; user: string }>("sealNextEvents");

test.before(async (context) => {
  context.db = await openTestDatabase({ size: 8 });
  context.user = await insertUser(context.db);
});
test.after((context) => context.db.close());

const isWhole = async (db: TestDatabase, chain: string, sealed: number): Promise<void> => {
  const { differs: _, ...found } = await verifyChain(db, chain, []);
  assert.equal(found, { chain, sealed, unsealed: 0, exported: 0, problems: [] });
};

test("gives the same head in batches of any size, and finds only chains that have something new", async ({ db, user }) => {
  const hub = await insertHub(db, user, "sizes");
  assert.equal(await findUnsealedChains(db.rows, LATER), []);
  await write(db, hub, 25);
  const heads = new Set<string>();
  for (const limit of [1, 7, 25, 1000]) {
    await tamper(db, "delete from audit_seals");
    assert.equal(await findUnsealedChains(db.rows, LATER), [hub]);
    await sealAll(db, limit);
    heads.add(formatChainHead((await readChainSeal(db.rows, hub))!));
    assert.equal(await findUnsealedChains(db.rows, LATER), []);
  }
  assert.is(heads.size, 1);
  assert.match([...heads][0]!, new RegExp(`^${hub}:25:`));
});

test("goes on behind the last batch after one that was cut off in the middle", async ({ db, user }) => {
  const hub = await insertHub(db, user, "crash");
  await write(db, hub, 30);
  const batch = { until: LATER, limit: 10 };
  await db.transact((tx) => sealNextEvents(tx, hub, batch));
  const crash = db.transact(async (tx) => {
    await sealNextEvents(tx, hub, batch);
    throw new Error("killed");
  });
  assert.is((await rejection(crash)).message, "killed");
  assert.is((await readChainSeal(db.rows, hub))!.count, 10);
  await sealAll(db);
  await isWhole(db, hub, 30);
});

test("by eight sealers at once, with writers beside them, neither forks nor skips nor doubles", async ({ db, user }) => {
  const hub = await insertHub(db, user, "many");
  await write(db, hub, 50);
  const sealing = Array.from({ length: 8 }, async () => {
    for (let i = 0; i < 20; i++) await db.transact((tx) => sealNextEvents(tx, hub, { until: LATER, limit: 7 }));
  });
  const writing = Array.from({ length: 4 }, async () => {
    for (let i = 0; i < 10; i++) await write(db, hub, 2);
  });
  await Promise.all([...sealing, ...writing]);
  await sealAll(db);
  await isWhole(db, hub, 130);
});

test("takes events of one time in the order of their ids, even from a batch to the next", async ({ db }) => {
  const at = new Date(Date.UTC(2020, 0));
  const entry = { kind: "auth_login", objectType: "user", objectId: "u" } as const;
  await db.transact((tx) => insertAuditEvents(tx, SYSTEM_REQUESTER, Array.from({ length: 9 }, () => ({ entry, at }))));
  await sealAll(db, 2);
  await isWhole(db, "system", 9);
});

test("leaves events that are newer than it may seal, and a chain without any others has no seal", async ({ db, user }) => {
  const hub = await insertHub(db, user, "young");
  await write(db, hub, 3);
  const [{ at }] = await db.sql("select at from audit_events where federation_id = $1 order by at offset 1", [hub]);
  assert.is((await db.transact((tx) => sealNextEvents(tx, hub, { until: at, limit: 10 })))!.events, 2);
  assert.equal(await findUnsealedChains(db.rows, at), []);
  assert.is(await db.transact((tx) => sealNextEvents(tx, hub, { until: at, limit: 10 })), null);
  const quiet = await insertHub(db, user, "quiet");
  assert.is(await db.transact((tx) => sealNextEvents(tx, quiet, { until: LATER, limit: 10 })), null);
  assert.is(await readChainSeal(db.rows, quiet), undefined);
});

test("does not care in which order the keys of metadata were written", async ({ db, user }) => {
  const hub = await insertHub(db, user, "keys");
  await write(db, hub, 1);
  await sealAll(db);
  const [{ metadata }] = await selectRows(db, "audit_events", { federationId: hub }, { columns: ["metadata"] });
  const turned = JSON.stringify(Object.fromEntries(Object.entries(metadata).reverse()));
  assert.is.not(turned, JSON.stringify(metadata));
  await tamper(db, `update audit_events set metadata = '${turned}' where federation_id = '${hub}'`);
  await isWhole(db, hub, 1);
});

test("of a seal the table refuses deletion, truncation, and going back", async ({ db, user }) => {
  const hub = await insertHub(db, user, "guarded");
  await write(db, hub, 2);
  await sealAll(db);
  const refused = [
    "delete from audit_seals",
    "truncate audit_seals",
    "update audit_seals set count = count - 1",
    `update audit_seals set head = repeat('0', 64) where chain = '${hub}'`,
    "update audit_seals set count = count + 1, last_at = last_at - interval '1 day'",
    "update audit_seals set count = count + 1, chain = chain || '2'",
  ];
  for (const statement of refused) assert.match((await rejection(db.sql(statement))).message, /only moves forward/);
});

test.run();
