import { createHash } from "node:crypto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { DatabaseProperties } from "#lib/doctor/database.ts";
import { checkDatabase, checkMigrations } from "#lib/doctor/check-database.ts";

const MIGRATIONS = [["0001_a", "select 1"], ["0002_b", "select 2"]] as const;
const applied = (...names: string[]) =>
  MIGRATIONS.filter(([name]) => names.includes(name)).map(([name, text]) => ({
    name,
    checksum: createHash("sha256").update(text).digest("hex"),
    needs: null,
  }));
const GOOD: DatabaseProperties = {
  version: "17.2",
  versionNumber: 170002,
  encoding: "UTF8",
  readOnly: false,
  connections: 97,
  canMigrate: true,
  role: "service",
  aheadMs: 3,
  applied: applied("0001_a", "0002_b"),
  hasOperator: true,
  session: { locks: true, notifications: true },
};
const listProblems = (changes: Partial<DatabaseProperties>) =>
  checkDatabase({ value: { ...GOOD, ...changes } }, { migrations: MIGRATIONS, pool: 10, admin: null })
    .filter(({ level }) => level !== "ok").map(({ check, level, message: describe }) =>
      `${check} ${level}: ${describe}`
    );

const test = suite("checkDatabase");

const TABLE: [what: string, changes: Partial<DatabaseProperties>, findings: string[]][] = [
  ["returns no problem for a suitable database", {}, []],
  ["accepts the oldest supported version", { version: "14.0", versionNumber: 140000 }, []],
  ["fails for an older version", { version: "13.18", versionNumber: 130018 }, [
    "version failing: PostgreSQL 13.18 is too old",
  ]],
  ["fails for another encoding", { encoding: "SQL_ASCII" }, [
    "encoding failing: the encoding is SQL_ASCII, which cannot store all names",
  ]],
  ["fails for a standby", { readOnly: true }, [
    "writing failing: the database is read-only: it is a standby, or default_transaction_read_only is on",
  ]],
  ["warns if two replicas need more connections", { connections: 21 }, [
    "connections warning: 21 are available, and a replica opens up to 11",
  ]],
  ["accepts enough connections for two replicas", { connections: 22 }, []],
  ["fails if locks do not work", { session: { locks: false, notifications: true } }, [
    "sessions failing: locks do not work, probably because of a transaction pooler",
  ]],
  ["fails if notifications do not arrive", { session: { locks: true, notifications: false } }, [
    "sessions failing: notifications do not work, probably because of a transaction pooler",
  ]],
  ["warns about a superuser", { role: "superuser" }, [
    "role warning: a superuser of the whole server, which can turn off the protection of the audit log",
  ]],
  ["warns about the owner of the tables", { role: "owner" }, [
    "role warning: the owner of the tables, which can turn off the protection of the audit log",
  ]],
  ["warns about a wrong clock", { aheadMs: -9000 }, [
    "clock warning: the database's clock is 9 s behind this machine",
  ]],
];
for (const [title, changes, findings] of TABLE) test(title, () => assert.equal(listProblems(changes), findings));

test("returns one failure with the reason if the database cannot be reached", () => {
  const findings = checkDatabase({ error: "connect ECONNREFUSED 127.0.0.1:1" }, {
    migrations: MIGRATIONS,
    pool: 10,
    admin: null,
  });
  assert.equal(findings.map(({ level, message: describe }) => `${level}: ${describe}`), [
    "failing: cannot connect: connect ECONNREFUSED 127.0.0.1:1",
  ]);
});

test("warns about pending migrations if DATABASE_OWNER_URL is set", () => {
  const facts = { ...GOOD, applied: applied("0001_a"), canMigrate: false };
  const levels = [true, false].map((owner) =>
    checkDatabase({ value: facts }, { migrations: MIGRATIONS, pool: 10, admin: null, owner }).find(({ check }) =>
      check === "migrations"
    )!
      .level
  );
  assert.equal(levels, ["warning", "failing"]);
});

const migrations = suite("checkMigrations");

const describe = (...from: Parameters<typeof checkMigrations>) => {
  const { level, message: describe } = checkMigrations(...from);
  return `${level}: ${describe}`;
};

migrations("accepts an empty database", () => {
  assert.match(describe(null, MIGRATIONS, true), /^ok: the database is empty/);
  assert.match(describe([], MIGRATIONS, true), /^ok/);
});

migrations("warns about pending migrations", () => {
  assert.is(describe(applied("0001_a"), MIGRATIONS, true), "warning: 1 migration of this release is not applied");
});

migrations("fails if pending migrations cannot be applied", () => {
  assert.match(
    describe(null, MIGRATIONS, false),
    /^failing: 2 migrations must be applied, but this user cannot create tables/,
  );
  assert.match(describe(applied("0001_a", "0002_b"), MIGRATIONS, false), /^ok/, "no pending migrations");
});

migrations("warns about a newer database, and fails if it is incompatible", () => {
  const newer = [...applied("0001_a", "0002_b"), { name: "0003_c", checksum: "x", needs: "0002_b" }];
  assert.is(describe(newer, MIGRATIONS, true), "warning: the database is newer than this program: it has 0003_c");
  const contracted = [...newer, { name: "0004_d", checksum: "x", needs: "0003_c" }];
  assert.match(
    describe(contracted, MIGRATIONS, true),
    /^failing: the database is newer than .* 0004_d\.sql needs 0003_c/,
  );
});

migrations("fails for a missing or changed migration", () => {
  const [, second] = MIGRATIONS;
  assert.match(
    describe(applied("0001_a"), [second], true),
    /^failing: .*0001_a\.sql was applied .* this program does not include it/,
  );
  assert.match(
    describe([{ name: "0001_a", checksum: "x", needs: null }], MIGRATIONS, true),
    /^failing: .*0001_a\.sql was changed after it was applied/,
  );
});

test.run();
migrations.run();
