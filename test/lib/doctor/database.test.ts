/** Tests doctor with real databases and with fake servers. */
import { connect, createServer, type Socket } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { migrate } from "#lib/drivers/db/migrate.ts";
import { readDatabaseProperties } from "#lib/doctor/database.ts";
import { checkDatabase } from "#lib/doctor/check-database.ts";
import { createReadWithTimeout } from "#lib/doctor/timed-read.ts";
import { MINUTE, SECOND } from "#lib/base/time.ts";
import { migrations } from "#src/migrations.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { createTestUser } from "#test/support/users.ts";
import { withAdminConnection } from "#test/support/server.ts";
import { openProxy } from "#test/support/proxy.ts";

const ADMIN = { email: "ada@school.example", password: "correct horse battery" };
const calm = new AbortController().signal;
const look = async (url: string, limit = MINUTE) => {
  const facts = await createReadWithTimeout(calm, limit)((signal) => readDatabaseProperties(url, limit, signal));
  return checkDatabase(facts, { migrations, pool: 10, admin: ADMIN });
};
const listProblems = async (url: string, limit?: number) =>
  (await look(url, limit)).filter(({ level }) => level !== "ok").map(({ check, level, message: problems }) =>
    `${check} ${level}: ${problems}`
  );

/** The finding about the role of the tests. */
const SUPERUSER = "role warning: a superuser of the whole server, which can turn off the protection of the audit log";

const test = suite<{ db: TestDatabase }>("readDatabaseProperties");

test.before(async (context) => {
  context.db = await openTestDatabase();
});
test.after(({ db }) => db.close());

test("finds nothing in a database of this release, and leaves no lock", async ({ db }) => {
  assert.equal(await listProblems(db.url), [SUPERUSER]);
  const [{ locks }] = await db.sql(
    "select count(*)::int as locks from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())",
  );
  assert.is(locks, 0);
});

test("reads whether an operator exists", async ({ db }) => {
  const operators = async (url: string) => (await readDatabaseProperties(url, MINUTE, calm)).hasOperator;
  assert.equal([await operators(db.url), await operators(await db.freshUrl())], [false, false]);
  await createTestUser(db, "ada");
  assert.is(await operators(db.url), false);
  await createTestUser(db, "root", { operator: true });
  assert.is(await operators(db.url), true);
});

test("accepts an empty database and leaves it empty", async ({ db }) => {
  const url = await db.freshUrl();
  const findings = await look(url);
  assert.match(findings.find(({ check }) => check === "migrations")!.message, /^the database is empty/);
  assert.match((await look(url)).find(({ check }) => check === "migrations")!.message, /^the database is empty/);
});

test("warns about a newer database", async ({ db }) => {
  await db.sql("insert into migrations (name, checksum) values ('9999_later', 'x')");
  const newer = "migrations warning: the database is newer than this program: it has 9999_later";
  assert.equal(await listProblems(db.url), [newer, SUPERUSER]);
  await db.sql("delete from migrations where name = '9999_later'");
});

test("distinguishes the owner of the tables from the service role", async ({ db }) => {
  const owner = await db.freshUrl(),
    names = ["owner", "service"].map((name) => `${new URL(owner).pathname.slice(1)}_${name}`);
  const [mine, service] = names.map((username) => Object.assign(new URL(owner), { username, password: "x" }).href);
  await withAdminConnection(owner, async (sql) => {
    await sql.unsafe(`create role ${names[0]} login createrole password 'x'`);
    await sql.unsafe(`grant create on schema public to ${names[0]} with grant option`);
  });
  await migrate(service!, migrations, mine!);
  const problems = [await listProblems(mine!), await listProblems(service!)];
  await withAdminConnection(owner, async (sql) => {
    for (const name of names.reverse()) await sql.unsafe(`drop owned by ${name} cascade; drop role ${name}`);
  });
  assert.equal(problems, [
    ["role warning: the owner of the tables, which can turn off the protection of the audit log"],
    [],
  ]);
});

test("fails for a read-only database", async ({ db }) => {
  const url = `${db.url}?options=-c%20default_transaction_read_only%3Don`;
  assert.match((await listProblems(url)).join(), /writing failing: the database is read-only/);
});

test("reports a wrong password without showing it", async ({ db }) => {
  const url = Object.assign(new URL(db.url), { username: "nobody-here", password: "hush-hush" });
  const [finding, ...more] = await listProblems(url.href);
  assert.match(finding!, /^connection failing: cannot connect: .*nobody-here/);
  assert.equal([more.length, finding!.includes("hush-hush")], [0, false]);
});

test("returns one failure if nothing listens", async () => {
  assert.match(
    (await listProblems("postgres://a:b@127.0.0.1:1/c")).join(),
    /^connection failing: .*(ECONNREFUSED|refused)/,
  );
});

test("stops after the time limit if the server hangs", async () => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => void sockets.add(socket.on("error", () => {})));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const [finding] = await listProblems(`postgres://a:b@127.0.0.1:${port}/c`, 200);
  assert.match(finding!, /^connection failing: cannot connect: .*(0\.2 s|200 ms)/);
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});

test("stops after the time limit if the server stops responding", async ({ db }) => {
  const proxy = await openProxy(db.url);
  proxy.watch((bytes) => !Buffer.from(bytes).includes("pg_try_advisory_lock"));
  assert.match((await listProblems(proxy.url, 2 * SECOND)).join(), /^connection failing: cannot connect: /);
  await proxy.close();
});

/** Returns the findings through a proxy that changes bytes. Uses no TLS, so that the proxy can read them. */
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
    return await listProblems(proxied.href);
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

test("fails if notifications never arrive, as behind a transaction pooler", async ({ db }) => {
  const withoutNotifications = () => {
    let rest = Buffer.alloc(0);
    return (bytes: Buffer): Buffer => {
      rest = Buffer.concat([rest, bytes]);
      const messages: Buffer[] = [];
      for (let end; rest.length >= 5 && rest.length >= (end = 1 + rest.readUInt32BE(1)); rest = rest.subarray(end)) {
        if (String.fromCharCode(rest[0]!) !== "A") messages.push(rest.subarray(0, end)); // NotificationResponse
      }
      return Buffer.concat(messages);
    };
  };
  assert.equal(await through(db.url, { sent: same, answered: withoutNotifications }), [
    "sessions failing: notifications do not work, probably because of a transaction pooler",
    SUPERUSER,
  ]);
});

test("fails if a lock is granted twice, as behind a transaction pooler", async ({ db }) => {
  const lockQuery = "pg_try_advisory_lock($1::bigint)";
  const alwaysTrue = "($1::bigint is not null)".padEnd(lockQuery.length);
  const sent = (bytes: Buffer) => Buffer.from(bytes.toString("latin1").replace(lockQuery, () => alwaysTrue), "latin1");
  assert.equal(await through(db.url, { sent, answered: () => same }), [
    "sessions failing: locks do not work, probably because of a transaction pooler",
    SUPERUSER,
  ]);
});

test.run();
