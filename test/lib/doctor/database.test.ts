/** Tests doctor with real databases and with servers that only pretend to be one. */
import { connect, createServer, type Socket } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { migrate } from "#lib/drivers/db/migrate.ts";
import { readDatabaseFacts } from "#lib/doctor/database.ts";
import { checkDatabase } from "#lib/doctor/check-database.ts";
import { createTimedRead } from "#lib/doctor/timed-read.ts";
import { MINUTE, SECOND } from "#lib/base/time.ts";
import { migrations } from "#src/migrations.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { createTestUser } from "#test/support/users.ts";
import { withAdminConnection } from "#test/support/server.ts";
import { openProxy } from "#test/support/proxy.ts";

const ADMIN = { email: "ada@school.example", password: "correct horse battery" };
const calm = new AbortController().signal;
const look = async (url: string, limit = MINUTE) => {
  const facts = await createTimedRead(calm, limit)((signal) => readDatabaseFacts(url, limit, signal));
  return checkDatabase(facts, { migrations, pool: 10, admin: ADMIN });
};
const bad = async (url: string, limit?: number) =>
  (await look(url, limit)).filter(({ level }) => level !== "ok").map(({ check, level, message: told }) =>
    `${check} ${level}: ${told}`
  );

/** The role of the tests. */
const SUPERUSER = "role warning: a superuser of the whole server, which can turn off the protection of the audit log";

const test = suite<{ db: TestDatabase }>("lookAtDatabase");

test.before(async (context) => {
  context.db = await openTestDatabase();
});
test.after(({ db }) => db.close());

test("a database of this release has nothing, and nothing in it changes.", async ({ db }) => {
  assert.equal(await bad(db.url), [SUPERUSER]);
  const [{ locks }] = await db.sql(
    "select count(*)::int as locks from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())",
  );
  assert.is(locks, 0);
});

test("whether an operator exists is told, and an empty database has none.", async ({ db }) => {
  const operators = async (url: string) => (await readDatabaseFacts(url, MINUTE, calm)).hasOperator;
  assert.equal([await operators(db.url), await operators(await db.freshUrl())], [false, false]);
  await createTestUser(db, "ada");
  assert.is(await operators(db.url), false);
  await createTestUser(db, "root", { operator: true });
  assert.is(await operators(db.url), true);
});

test("an empty one is right as well, and stays empty.", async ({ db }) => {
  const url = await db.freshUrl();
  const findings = await look(url);
  assert.match(findings.find(({ check }) => check === "migrations")!.message, /^the database is empty/);
  assert.match((await look(url)).find(({ check }) => check === "migrations")!.message, /^the database is empty/);
});

test("a newer one is told.", async ({ db }) => {
  await db.sql("insert into migrations (name, checksum) values ('9999_later', 'x')");
  const newer = "migrations warning: the database is newer than this program: it has 9999_later";
  assert.equal(await bad(db.url), [newer, SUPERUSER]);
  await db.sql("delete from migrations where name = '9999_later'");
});

test("a role that owns the tables is told from one that does not, and may apply migrations.", async ({ db }) => {
  const owner = await db.freshUrl(),
    names = ["owner", "service"].map((name) => `${new URL(owner).pathname.slice(1)}_${name}`);
  const [mine, service] = names.map((username) => Object.assign(new URL(owner), { username, password: "x" }).href);
  await withAdminConnection(owner, async (sql) => {
    await sql.unsafe(`create role ${names[0]} login createrole password 'x'`);
    await sql.unsafe(`grant create on schema public to ${names[0]} with grant option`);
  });
  await migrate(service!, migrations, mine!);
  const told = [await bad(mine!), await bad(service!)];
  await withAdminConnection(owner, async (sql) => {
    for (const name of names.reverse()) await sql.unsafe(`drop owned by ${name} cascade; drop role ${name}`);
  });
  assert.equal(told, [
    ["role warning: the owner of the tables, which can turn off the protection of the audit log"],
    [],
  ]);
});

test("one that only reads fails.", async ({ db }) => {
  const url = `${db.url}?options=-c%20default_transaction_read_only%3Don`;
  assert.match((await bad(url)).join(), /writing failing: the database is read-only/);
});

test("a password that is wrong is told in the server's words, and not shown.", async ({ db }) => {
  const url = Object.assign(new URL(db.url), { username: "nobody-here", password: "hush-hush" });
  const [finding, ...more] = await bad(url.href);
  assert.match(finding!, /^connection failing: cannot connect: .*nobody-here/);
  assert.equal([more.length, finding!.includes("hush-hush")], [0, false]);
});

test("nobody there is one failure.", async () => {
  assert.match((await bad("postgres://a:b@127.0.0.1:1/c")).join(), /^connection failing: .*(ECONNREFUSED|refused)/);
});

test("a server that hangs costs its time and no more.", async () => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => void sockets.add(socket.on("error", () => {})));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const [finding] = await bad(`postgres://a:b@127.0.0.1:${port}/c`, 200);
  assert.match(finding!, /^connection failing: cannot connect: .*(0\.2 s|200 ms)/);
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});

test("one that falls silent in the middle costs its time and no more.", async ({ db }) => {
  const proxy = await openProxy(db.url);
  proxy.watch((bytes) => !Buffer.from(bytes).includes("pg_try_advisory_lock"));
  assert.match((await bad(proxy.url, 2 * SECOND)).join(), /^connection failing: cannot connect: /);
  await proxy.close();
});

/** Returns the findings through a proxy that changes bytes. Without TLS, so that it can read them. */
async function through(url: string, alter: Alteration): Promise<string[]> {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(new URL(url).port), "127.0.0.1");
    for (const socket of [near, far]) sockets.add(socket.on("error", () => {}));
    near.on("data", (bytes: Uint8Array) => far.write(alter.sent(Buffer.from(bytes))));
    const answered = alter.answered();
    far.on("data", (bytes: Uint8Array) => near.write(answered(Buffer.from(bytes))));
    near.on("close", () => far.destroy());
    far.on("close", () => near.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  try {
    const proxied = Object.assign(new URL(url), { hostname: "127.0.0.1", port: String(port) });
    proxied.searchParams.set("sslmode", "disable");
    return await bad(proxied.href);
  } finally {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
}

interface Alteration {
  sent(bytes: Buffer): Buffer;
  answered(): (bytes: Buffer) => Buffer;
}

const same = (bytes: Buffer): Buffer => bytes;

test("notifications that never arrive, as behind a transaction pooler, fail.", async ({ db }) => {
  const withoutNotifications = () => {
    let rest = Buffer.alloc(0);
    return (bytes: Buffer): Buffer => {
      rest = Buffer.concat([rest, bytes]);
      const kept: Buffer[] = [];
      for (let end; rest.length >= 5 && rest.length >= (end = 1 + rest.readUInt32BE(1)); rest = rest.subarray(end)) {
        if (String.fromCharCode(rest[0]!) !== "A") kept.push(rest.subarray(0, end)); // NotificationResponse
      }
      return Buffer.concat(kept);
    };
  };
  assert.equal(await through(db.url, { sent: same, answered: withoutNotifications }), [
    "sessions failing: notifications do not work, probably because of a transaction pooler",
    SUPERUSER,
  ]);
});

test("a lock that is granted twice, as to two clients of one session, fails.", async ({ db }) => {
  const asked = "pg_try_advisory_lock($1::bigint)";
  const granted = "($1::bigint is not null)".padEnd(asked.length);
  const sent = (bytes: Buffer) => Buffer.from(bytes.toString("latin1").replace(asked, () => granted), "latin1");
  assert.equal(await through(db.url, { sent, answered: () => same }), [
    "sessions failing: locks do not work, probably because of a transaction pooler",
    SUPERUSER,
  ]);
});

test.run();
