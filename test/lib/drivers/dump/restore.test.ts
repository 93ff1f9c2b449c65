import { suite } from "uvu";
import * as assert from "uvu/assert";
import { gunzipSync, gzipSync } from "node:zlib";
import type { Row } from "postgres";
import { DecryptionFailed } from "#lib/drivers/crypto/age.ts";
import { migrate } from "#lib/drivers/db/migrate.ts";
import { unpackBackup } from "#lib/drivers/dump/pack.ts";
import { restoreDatabaseBackup, RestoreRefused } from "#lib/drivers/dump/restore.ts";
import { BackupDamaged, readBackupParts } from "#lib/drivers/dump/script.ts";
import { openDatabaseSnapshot } from "#lib/drivers/dump/snapshot.ts";
import { verifyChain } from "#lib/audit/verify.ts";
import { openDatabase } from "#lib/drivers/db/open.ts";
import { SILENT_LOG } from "#lib/base/log.ts";
import { migrations } from "#src/migrations.ts";
import { readDumps, restoreDump } from "#test/migrations/released.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { withAdminConnection } from "#test/support/server.ts";
import { rejection } from "#test/support/until.ts";
import { backUp, fill, nothing, once, restore, rowsIn, undate } from "./dump-scene.ts";
import { selectRows } from "#test/support/rows.ts";

interface Context {
  db: TestDatabase;
  /** Creates an empty database. */
  url: string;
  hub: string;
}

const test = suite<Context>("restoreDatabaseBackup");
test.before(async (context) => {
  context.db = await openTestDatabase();
  context.hub = (await fill(context.db)).hub;
});
test.before.each(async (context) => {
  context.url = await context.db.freshUrl();
});
test.after(({ db }) => db.close());

const ask = (url: string, text: string): Promise<Row[]> =>
  withAdminConnection(url, async (sql) => [...await sql.unsafe(text)]);

/** Whether the database is still empty. */
async function assertEmpty(url: string): Promise<void> {
  const text = "select relname from pg_class where relnamespace = 'public'::regnamespace";
  assert.equal(await ask(url, text), []);
}

/** The tables whose rows a restore changes. */
const CHANGED = ["sessions", "jobs", "replicas", "ready_lanes", "stream_heads", "one_time_tokens", "database_restores"];

async function assertAsItWas(url: string, before: Awaited<ReturnType<typeof rowsIn>>): Promise<void> {
  assert.is(await undate(url), 0);
  const after = await rowsIn(url);
  assert.equal(Object.keys(after), Object.keys(before));
  for (const table of Object.keys(before)) {
    if (table === "migrations") assert.is(after[table]!.length, before[table]!.length);
    else if (!CHANGED.includes(table)) assert.equal(after[table], before[table], table);
  }
}

test("restores all rows unchanged, except those with a fixup", async ({ db, url }) => {
  await restore(url, await backUp(db.url));
  const before = await rowsIn(db.url);
  await assertAsItWas(url, before);
  assert.ok(before.users!.length > 0 && before.audit_events!.length === 3 && before.audit_seals!.length > 0);
  const [restored] = await ask(url, "select * from database_restores");
  assert.is(restored!.released_at, null);
});

test("restores a backup of the previous release with rows in each table", async ({ db, url }) => {
  const place = await db.freshUrl();
  await restoreDump(place, (await readDumps()).at(-1)!.sql);
  await migrate(place, migrations);
  await restore(url, await backUp(place));
  await assertAsItWas(url, await rowsIn(place));
});

test("drops sessions, voids password resets, queues running jobs and resets streams", async ({ db, url }) => {
  await restore(url, await backUp(db.url));
  assert.equal(await ask(url, "select id from sessions union all select id from replicas"), []);
  assert.equal(await ask(url, "select id from one_time_tokens where voided_at is null"), [{ id: "ott_2" }]);
  assert.equal(
    await ask(url, "select id, state, holder, finished_steps, attempt from jobs order by id"),
    [
      { id: "op_1", state: "queued", holder: null, finished_steps: ["volumes"], attempt: 1 },
      { id: "op_2", state: "queued", holder: null, finished_steps: [], attempt: 0 },
    ],
  );
  const [called] = await ask(url, "select count(*)::int as calls from ready_lanes where lane like 'federation:%'");
  assert.ok(called!.calls >= 2);
  const [stream] = await ask(url, "select number > 1000000000 and pruned_through = number as ahead from stream_heads");
  assert.ok(stream!.ahead);
});

test("raises fences above any used since the backup, and numbers above those of the rows", async ({ db, url }) => {
  const file = await backUp(db.url);
  await db.sql("select setval('job_fences', 1000000)");
  await restore(url, file);
  const [next] = await ask(url, "select nextval('job_fences')::bigint > 1000000 as above");
  assert.ok(next!.above);
  await ask(url, "insert into ready_lanes (at, lane) values (now(), 'x')");
  const text =
    `insert into jobs (id, kind, visible, time_limit_ms, plan, step_names, label, requester_id, requester_email, requester_ip,
    requester_agent) values ('job_3', 'k', false, 1, 1, '{}', '', '', '', '', '')
    returning seq > (select max(seq) from jobs) as later`;
  assert.equal(await ask(url, text), [{ later: true }]);
});

test("raises numbers above those of an earlier restore of the same backup", async ({ db, url }) => {
  const file = await backUp(db.url), next = "select nextval('job_fences')::bigint as fence, number from stream_heads";
  await restore(url, file);
  const [before] = await ask(url, next), other = await db.freshUrl();
  await restore(other, file);
  const [after] = await ask(other, next);
  assert.ok(BigInt(after!.fence) > BigInt(before!.fence), `fence ${after!.fence} after ${before!.fence}`);
  assert.ok(BigInt(after!.number) > BigInt(before!.number), `event ${after!.number} after ${before!.number}`);
});

test("keeps the sealed audit log and its triggers", async ({ db, url }) => {
  await restore(url, await backUp(db.url));
  const restored = await openDatabase({ url, size: 2, log: SILENT_LOG });
  const { sealed, problems } = await verifyChain(
    restored,
    (await selectRows(db, "audit_seals"))[0].chain,
    [],
  );
  await restored.close();
  assert.equal([sealed, problems], [3, []]);
  assert.match((await rejection(ask(url, "delete from audit_events"))).message, "append-only");
});

test("creates the same schema as the migrations", async ({ db, url }) => {
  await restore(url, await backUp(db.url));
  const text = `select indexdef as it from pg_indexes where schemaname = 'public'
    union all select tgname || tgenabled::text from pg_trigger where not tgisinternal
    union all select conname || pg_get_constraintdef(oid) from pg_constraint where connamespace = 'public'::regnamespace
    order by 1`;
  assert.equal(await ask(url, text), await ask(db.url, text));
  assert.equal(await migrate(url, migrations), []);
});

test("migrates a backup of an older release", async ({ db, url }) => {
  const older = migrations.slice(0, -1), place = await db.freshUrl();
  await migrate(place, older);
  await ask(place, "insert into users (id, email, display_name) values ('usr_1', 'a@example.org', 'A')");
  await restore(url, await backUp(place));
  assert.equal(await ask(url, "select id from users"), [{ id: "usr_1" }]);
  assert.equal(await migrate(url, migrations), []);
});

test("refuses a backup of a newer release, and backing up a newer database", async ({ db, url }) => {
  const olderMigrations = migrations.slice(0, -1);
  const failure = await rejection(restore(url, await backUp(db.url), { known: olderMigrations }));
  assert.instance(failure, RestoreRefused);
  assert.match(
    failure.message,
    `it has ${migrations.at(-1)![0]}.sql, this program ends at ${olderMigrations.at(-1)![0]}.sql`,
  );
  await assertEmpty(url);
  assert.match(
    (await rejection(openDatabaseSnapshot(db.url, "0.1.0", olderMigrations))).message,
    "The database is newer than this program",
  );
});

test("refuses a database that is not empty, with instructions", async ({ db, url }) => {
  const file = await backUp(db.url);
  await ask(url, "create table theirs (a int)");
  const failure = await rejection(restore(url, file));
  assert.instance(failure, RestoreRefused);
  assert.match(
    failure.message,
    /^The database (\w+) is not empty: it has the table theirs\. .*dropdb \1 && createdb \1$/,
  );
  const before = await rowsIn(db.url);
  assert.instance(await rejection(restore(db.url, file)), RestoreRefused);
  assert.equal(await rowsIn(db.url), before);
});

test("writes nothing of a damaged backup", async ({ db, url }) => {
  const file = await backUp(db.url), head = 10; // gzip's metadata of the file, which is not read
  const read = async (changed: Buffer) => {
    for await (const _ of readBackupParts(unpackBackup(once(changed), () => Promise.resolve("")), nothing));
  };
  for (let i = 0; i < 100; i++) {
    const at = head + Math.floor((file.length - head) * (i + Math.random()) / 100), bit = i % 8;
    const changed = Buffer.from(file), cut = file.subarray(0, at);
    changed[at]! ^= 1 << bit;
    const where = `bit ${bit} of byte ${at} of ${file.length}`;
    const failure = await read(changed).catch((error) => error);
    // There are unused bits between the last bit of the content and the checksums.
    if (!failure) assert.ok(gunzipSync(changed).equals(gunzipSync(file)), where);
    else assert.instance(failure, BackupDamaged, where);
    assert.instance(await rejection(read(cut)), BackupDamaged, `cut after ${at} bytes`);
    if (i % 40 !== 39) continue;
    for (const damaged of [changed, cut]) assert.instance(await rejection(restore(url, damaged)), BackupDamaged);
    await assertEmpty(url);
  }
});

test("writes nothing if a single row was changed", async ({ db, url }) => {
  const text = gunzipSync(await backUp(db.url)).toString("latin1");
  const changed = text.replace("spoke_provisioned", "spoke_provisioneD");
  assert.is.not(changed, text);
  const failure = await rejection(restore(url, gzipSync(Buffer.from(changed, "latin1"))));
  assert.is(failure.message, "The checksum does not match");
  await assertEmpty(url);
});

test("restores an encrypted backup only with its passphrase", async ({ db, url }) => {
  const file = await backUp(db.url, "correct horse battery");
  assert.instance(await rejection(restore(url, file, { passphrase: "correct horse batterx" })), DecryptionFailed);
  await assertEmpty(url);
  await restore(url, file, { passphrase: "correct horse battery" });
  assert.equal((await rowsIn(url)).users, (await rowsIn(db.url)).users);
});

test("backs up and restores 100,000 rows with little memory", async ({ db, url, hub }) => {
  await db.sql(
    `insert into audit_events (id, kind, actor_id, actor_email, object_type, object_id, metadata, ip, user_agent, at,
        federation_id, customer_visible)
     select 'evt_' || i, 'auth_login', 'u', 'e', 'user', 'u', jsonb_build_object('text', repeat(md5(i::text), 30)), '', '',
        timestamptz '2030-01-01' + i * interval '1 second', $1, false
     from generate_series(1, 100000) i`,
    [hub],
  );
  let most = 0, rows = 0;
  const least = process.memoryUsage.rss();
  const watch = () => most = Math.max(most, process.memoryUsage.rss() - least);
  const snapshot = await openDatabaseSnapshot(db.url, "0.1.0", migrations);
  async function* piped() {
    for await (const piece of snapshot.text((table, count) => table === "audit_events" && (rows = count))) {
      watch();
      yield piece;
    }
  }
  await restoreDatabaseBackup({ url, parts: readBackupParts(piped(), nothing), migrations });
  await snapshot.close();
  assert.ok(rows > 100_000);
  assert.ok(most < 100 * 2 ** 20, `${most} bytes more for 100 MB of rows`);
  assert.equal(await ask(url, "select count(*)::int as rows from audit_events"), [{ rows }]);
});

test.run();
