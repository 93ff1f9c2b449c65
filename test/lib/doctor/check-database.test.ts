import { createHash } from "node:crypto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { DatabaseFacts } from "#lib/doctor/database.ts";
import { checkDatabase, checkMigrations } from "#lib/doctor/check-database.ts";

const MIGRATIONS = [["0001_a", "select 1"], ["0002_b", "select 2"]] as const;
const applied = (...names: string[]) =>
  MIGRATIONS.filter(([name]) => names.includes(name)).map(([name, text]) => ({
    name,
    checksum: createHash("sha256").update(text).digest("hex"),
    needs: null,
  }));
const GOOD: DatabaseFacts = {
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
const judged = (changes: Partial<DatabaseFacts>) =>
  checkDatabase({ value: { ...GOOD, ...changes } }, { migrations: MIGRATIONS, pool: 10, admin: null })
    .filter(({ level }) => level !== "ok").map(({ check, level, message: told }) => `${check} ${level}: ${told}`);

const test = suite("judgeDatabase");

const TABLE: [what: string, changes: Partial<DatabaseFacts>, findings: string[]][] = [
  ["a good one has nothing", {}, []],
  ["the oldest that is taken", { version: "14.0", versionNumber: 140000 }, []],
  ["one too old fails", { version: "13.18", versionNumber: 130018 }, ["version failing: PostgreSQL 13.18 is too old"]],
  ["another encoding fails", { encoding: "SQL_ASCII" }, [
    "encoding failing: the encoding is SQL_ASCII, which cannot store all names",
  ]],
  ["a standby fails", { readOnly: true }, [
    "writing failing: the database is read-only: it is a standby, or default_transaction_read_only is on",
  ]],
  ["two replicas have to fit", { connections: 21 }, [
    "connections warning: 21 are available, and a replica opens up to 11",
  ]],
  ["two replicas that just fit", { connections: 22 }, []],
  ["locks that do not hold fail", { session: { locks: false, notifications: true } }, [
    "sessions failing: locks do not work, probably because of a transaction pooler",
  ]],
  ["notifications that do not arrive fail", { session: { locks: true, notifications: false } }, [
    "sessions failing: notifications do not work, probably because of a transaction pooler",
  ]],
  ["a superuser is more than the service needs", { role: "superuser" }, [
    "role warning: a superuser of the whole server, which can turn off the protection of the audit log",
  ]],
  ["so is the owner of the tables", { role: "owner" }, [
    "role warning: the owner of the tables, which can turn off the protection of the audit log",
  ]],
  ["a clock that is wrong is a warning", { aheadMs: -9000 }, [
    "clock warning: the database's clock is 9 s behind this machine",
  ]],
];
for (const [what, changes, findings] of TABLE) test(`${what}.`, () => assert.equal(judged(changes), findings));

test("one that cannot be reached is one failure, with the reason.", () => {
  const findings = checkDatabase({ error: "connect ECONNREFUSED 127.0.0.1:1" }, {
    migrations: MIGRATIONS,
    pool: 10,
    admin: null,
  });
  assert.equal(findings.map(({ level, message: told }) => `${level}: ${told}`), [
    "failing: cannot connect: connect ECONNREFUSED 127.0.0.1:1",
  ]);
});

test("what an owner applies is only pending, though the service may not.", () => {
  const seen = { ...GOOD, applied: applied("0001_a"), canMigrate: false };
  const levels = [true, false].map((owner) =>
    checkDatabase({ value: seen }, { migrations: MIGRATIONS, pool: 10, admin: null, owner }).find(({ check }) =>
      check === "migrations"
    )!
      .level
  );
  assert.equal(levels, ["warning", "failing"]);
});

const migrations = suite("judgeMigrations");

const told = (...from: Parameters<typeof checkMigrations>) => {
  const { level, message: told } = checkMigrations(...from);
  return `${level}: ${told}`;
};

migrations("an empty database is right, for serve makes its tables.", () => {
  assert.match(told(null, MIGRATIONS, true), /^ok: the database is empty/);
  assert.match(told([], MIGRATIONS, true), /^ok/);
});

migrations("what is pending is a warning.", () => {
  assert.is(told(applied("0001_a"), MIGRATIONS, true), "warning: 1 migration of this release is not applied");
});

migrations("what is pending and may not be applied fails.", () => {
  assert.match(
    told(null, MIGRATIONS, false),
    /^failing: 2 migrations must be applied, but this user cannot create tables/,
  );
  assert.match(told(applied("0001_a", "0002_b"), MIGRATIONS, false), /^ok/, "nothing is to be made");
});

migrations("a newer database is a warning, unless what it lacks is needed.", () => {
  const newer = [...applied("0001_a", "0002_b"), { name: "0003_c", checksum: "x", needs: "0002_b" }];
  assert.is(told(newer, MIGRATIONS, true), "warning: the database is newer than this program: it has 0003_c");
  const contracted = [...newer, { name: "0004_d", checksum: "x", needs: "0003_c" }];
  assert.match(told(contracted, MIGRATIONS, true), /^failing: the database is newer than .* 0004_d\.sql needs 0003_c/);
});

migrations("a missing and a changed file fail.", () => {
  const [, second] = MIGRATIONS;
  assert.match(told(applied("0001_a"), [second], true), /^failing: .*0001_a\.sql was applied .* this program lacks it/);
  assert.match(
    told([{ name: "0001_a", checksum: "x", needs: null }], MIGRATIONS, true),
    /^failing: .*0001_a\.sql was changed after it was applied/,
  );
});

test.run();
migrations.run();
