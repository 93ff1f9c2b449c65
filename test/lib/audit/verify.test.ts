/** Tests that each way of tampering is found with its chain and position, and what only an exported head reveals. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sql } from "kysely";
import { SYSTEM_REQUESTER } from "#lib/audit/requester.ts";
import { formatChainHead } from "#lib/audit/chain.ts";
import { sealNextEvents } from "#lib/audit/seals.ts";
import { verifyChain } from "#lib/audit/verify.ts";
import { recordChange } from "#lib/changes/record.ts";
import { changeOf, eventAt, headOf, LATER, sealAll, tamper, write } from "#test/lib/audit/scene.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { insertHub, insertUser } from "#test/support/insert-rows.ts";
import { until } from "#test/support/until.ts";

interface Scene {
  db: TestDatabase;
  /** A hub with 30 sealed and 2 unsealed events, created for each test. `of` is its where clause. */
  hub: string;
  of: string;
  user: string;
}

const test = suite<Scene>("verifyChain");

test.before(async (scene) => {
  scene.db = await openTestDatabase();
  scene.user = await insertUser(scene.db);
});
test.before.each(async (scene) => {
  const { db, user } = scene;
  scene.hub = await insertHub(db, user, `h${performance.now()}`);
  scene.of = `federation_id = '${scene.hub}'`;
  await write(db, scene.hub, 30);
  await sealAll(db);
  await write(db, scene.hub, 2);
});
test.after((scene) => scene.db.close());

const LIMIT = 7; // so that a verification takes several batches
const problemsOf = async ({ db, hub }: Scene): Promise<string> => {
  const { problems } = await verifyChain(db, hub, [], LIMIT);
  return problems.join("; ");
};

test("finds nothing wrong with what nobody touched, and counts what is not sealed", async ({ db, hub }) => {
  const first = await headOf(db, hub);
  assert.equal(await verifyChain(db, hub, [], LIMIT), {
    chain: hub,
    sealed: 30,
    unsealed: 2,
    exported: 0,
    problems: [],
    differs: null,
  });
  await sealAll(db, 1);
  const { exported, problems } = await verifyChain(db, hub, [first, await headOf(db, hub)], LIMIT);
  assert.equal([exported, problems], [32, []]);
});

const FIELDS: Record<string, string> = {
  id: "id || 'x'",
  kind: "'auth_login'",
  actor_id: "'usr_x'",
  actor_email: "'x@example.org'",
  object_type: "'user'",
  object_id: "object_id || ' '",
  metadata: `jsonb_set(metadata, '{nested,b}', '"other"')`,
  ip: "'192.0.2.99'",
  user_agent: "'another'",
  at: "at + interval '1 millisecond'",
  audience_user_id: "(select id from users limit 1)",
  customer_visible: "not customer_visible",
};

for (const [field, value] of Object.entries(FIELDS)) {
  test(`finds that ${field} of one event was changed`, async (scene) => {
    const id = await eventAt(scene.db, scene.hub, 12);
    await tamper(scene.db, `update audit_events set ${field} = ${value} where id = '${id}'`);
    assert.match(await problemsOf(scene), /The events do not match the seal/);
  });
}

test("finds a changed number in metadata, even if JavaScript reads both numbers as the same value", async (scene) => {
  const set = (number: string) => `update audit_events set metadata = '{"n": ${number}}' where ${scene.of}`;
  const hub = scene.hub = await insertHub(scene.db, scene.user, "digits");
  scene.of = `federation_id = '${hub}'`;
  await write(scene.db, hub, 1);
  await tamper(scene.db, set("12345678901234567890"));
  await sealAll(scene.db);
  assert.is(await problemsOf(scene), "");
  await tamper(scene.db, set("12345678901234567891"));
  assert.match(await problemsOf(scene), /do not match the seal/);
});

test("finds a deleted event in the middle, and the last one", async (scene) => {
  for (const [place, left] of [[12, 29], [29, 28]] as const) {
    const id = await eventAt(scene.db, scene.hub, place);
    await tamper(scene.db, `delete from audit_events where id = '${id}'`);
    assert.match(await problemsOf(scene), new RegExp(`The seal covers 30 events, but ${left} are left`));
  }
});

test("finds the last event deleted though newer ones came", async (scene) => {
  const id = await eventAt(scene.db, scene.hub, 30);
  await tamper(scene.db, `delete from audit_events where id = '${id}'`);
  const found = await verifyChain(scene.db, scene.hub, [], LIMIT);
  assert.match(found.problems.join(), /The seal covers 30 events, but 29 are left/);
  assert.is(found.unsealed, 2);
});

test("finds an event that was put in, and one that was moved to another chain in both", async (scene) => {
  const other = await insertHub(scene.db, scene.user, "other");
  await write(scene.db, other, 3);
  await sealAll(scene.db);
  const id = await eventAt(scene.db, scene.hub, 12);
  await tamper(
    scene.db,
    `insert into audit_events select 'evt_x', kind, actor_id, actor_email, object_type, object_id, metadata, ip,
       user_agent, (select min(at) from audit_events where ${scene.of}), federation_id, spoke_id, audience_user_id,
       customer_visible
     from audit_events where id = '${id}'`,
  );
  assert.match(await problemsOf(scene), /The seal covers 32 events, but 33 exist/);
  await tamper(scene.db, `delete from audit_events where id = 'evt_x'`);
  assert.is(await problemsOf(scene), "");
  await tamper(scene.db, `update audit_events set federation_id = '${other}' where id = '${id}'`);
  assert.match(await problemsOf(scene), /The seal covers 32 events, but 31 are left/);
  assert.match(await problemsOf({ ...scene, hub: other }), /The seal covers 3 events, but 4 exist/);
});

test("finds two events that changed places", async (scene) => {
  const [a, b] = [await eventAt(scene.db, scene.hub, 5), await eventAt(scene.db, scene.hub, 20)];
  await tamper(
    scene.db,
    `update audit_events as one set at = other.at from audit_events as other
     where (one.id, other.id) in (('${a}', '${b}'), ('${b}', '${a}'))`,
  );
  assert.match(await problemsOf(scene), /The events do not match the seal/);
});

test("reports between which counts the chain differs, if heads were exported in between", async (scene) => {
  const { db, hub } = scene, heads = [await headOf(db, hub)];
  for (const more of [10, 10]) {
    await write(db, hub, more);
    await sealAll(db);
    heads.push(await headOf(db, hub));
  }
  assert.equal(heads.map(({ count }) => count), [30, 42, 52]);
  await tamper(db, `update audit_events set ip = 'x' where id = '${await eventAt(db, hub, 35)}'`);
  const found = await verifyChain(db, hub, heads, LIMIT);
  assert.equal(found.differs, { after: 30, through: 42 });
  assert.match(found.problems.join(), /The exported hash of the first 42 events does not match the events$/);
  assert.equal((await verifyChain(db, hub, [], LIMIT)).differs, { after: 0, through: 52 });
});

test("finds events cut off together with their seal and count by an exported head, and by nothing else", async (scene) => {
  const { db, hub, of } = scene;
  await sealAll(db);
  const exported = await headOf(db, hub);
  await tamper(
    db,
    `delete from audit_events where ${of} and at > (select at from audit_events where ${of} order by at offset 19 limit 1)`,
    `delete from audit_seals where chain = '${hub}'`,
    `update audit_counts set events = 20 where chain = '${hub}'`,
  );
  await sealAll(db);
  assert.is(await problemsOf(scene), "");
  const found = await verifyChain(db, hub, [exported], LIMIT);
  assert.match(
    found.problems.join(),
    /ends too early: the seal covers 20 of the 32 events .* restored from a dump older/,
  );
  assert.equal(found.differs, { after: 0, through: 32 });
  await write(db, hub, 20);
  await sealAll(db);
  assert.is(await problemsOf(scene), "");
  const { problems } = await verifyChain(db, hub, [exported], LIMIT);
  assert.match(problems.join(), /first 32 events does not match the events, but the seal does: events and seal/);
});

test("reports a database that was restored from an older dump, even if it has grown since", async (scene) => {
  const { db, hub, of } = scene, early = await headOf(db, hub);
  await db.sql(`create table dump as select * from audit_events where ${of};
    create table dump_seals as select * from audit_seals where chain = '${hub}';
    create table dump_counts as select * from audit_counts where chain = '${hub}'`);
  await write(db, hub, 10);
  await sealAll(db);
  const late = await headOf(db, hub);
  await tamper(
    db,
    `delete from audit_events where ${of}`,
    "insert into audit_events select * from dump",
    `delete from audit_seals where chain = '${hub}'`,
    "insert into audit_seals select * from dump_seals",
    `delete from audit_counts where chain = '${hub}'`,
    "insert into audit_counts select * from dump_counts",
  );
  assert.equal((await verifyChain(db, hub, [early], LIMIT)).problems, []);
  const older = await verifyChain(db, hub, [early, late], LIMIT);
  assert.match(older.problems.join(), /covers 30 of the 42 events .* only 32 exist.*restored from a dump older/);
  assert.equal(older.differs, { after: 30, through: 42 });
  await write(db, hub, 15);
  const grown = await verifyChain(db, hub, [late], LIMIT);
  assert.match(grown.problems.join(), /The log has a different end: .*restored from a dump older/);
});

test("distinguishes a changed seal from changed events", async (scene) => {
  const { db, hub } = scene, exported = await headOf(db, hub);
  const seal = (set: string) => tamper(db, `update audit_seals set ${set} where chain = '${hub}'`);
  await seal("head = repeat('a', 64)");
  const changed = await verifyChain(db, hub, [exported], LIMIT);
  assert.equal(changed.problems, ["The seal was changed: the events match the exported head"]);
  assert.is(changed.differs, null);
  await seal(`head = '${exported.hash}', last_at = last_at + interval '1 hour'`);
  assert.match(await problemsOf(scene), /The seal was changed: its position/);
  await tamper(db, `delete from audit_seals where chain = '${hub}'`);
  assert.match((await verifyChain(db, hub, [exported], LIMIT)).problems.join(), /The chain's seal is missing/);
});

test("rejects a head of another chain, and reports two heads that contradict each other", async (scene) => {
  const { db, hub } = scene, good = await headOf(db, hub);
  assert.is((await verifyChain(db, hub, [{ ...good, chain: "system" }], LIMIT)).exported, 0);
  const bad = { ...good, count: 20, hash: "b".repeat(64) };
  const found = await verifyChain(db, hub, [good, bad], LIMIT);
  assert.match(found.problems.join(), /of 20 and 30 events contradict each other/, formatChainHead(bad));
});

test("sees one moment, whatever is written and sealed meanwhile", async ({ db, hub }) => {
  const waiting = `select 1 from pg_locks where not granted and relation = 'audit_events'::regclass`;
  const { verifying } = await db.transact(async (tx) => {
    await sql`lock table audit_events in access exclusive mode`.execute(tx);
    const verifying = verifyChain(db, hub, [], LIMIT);
    await until(async () => (await db.sql(waiting)).length > 0);
    await recordChange(tx, SYSTEM_REQUESTER, { audit: [changeOf(hub), changeOf(hub)] });
    await sealNextEvents(tx, hub, { until: LATER, limit: 100 });
    return { verifying };
  });
  const { sealed, unsealed, problems } = await verifying;
  assert.equal([sealed, unsealed, problems], [30, 2, []]);
  assert.is((await headOf(db, hub)).count, 34);
});

test("says nothing of a chain of which nothing is sealed, but counts it", async ({ db, user }) => {
  const hub = await insertHub(db, user, "unsealed");
  await write(db, hub, 3);
  const { sealed, unsealed, problems } = await verifyChain(db, hub, []);
  assert.equal([sealed, unsealed, problems], [0, 3, []]);
});

test.run();
