/** Tests what the service's role can do: the privileges on each table, and forbidden actions. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SILENT_LOG } from "#lib/base/log.ts";
import type { ClusterSurvey } from "#lib/doctor/reconcile/survey.ts";
import { checkFences, readLastFence } from "#lib/doctor/reconcile/check-fences.ts";
import { openDatabase } from "#lib/drivers/db/open.ts";
import { raiseFences } from "#lib/recovery/adoption/changes.ts";
import { TABLE_PRIVILEGES } from "#lib/drivers/db/grants.ts";
import { migrate } from "#lib/drivers/db/migrate.ts";
import { migrations } from "#src/migrations.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { connect, withAdminConnection } from "#test/support/server.ts";
import { rejection } from "#test/support/until.ts";

interface Scene {
  db: TestDatabase;
  /** The addresses of an empty database: as its owner, and as a role that does not exist yet. */
  owner: string;
  service: string;
  role: string;
}

const test = suite<Scene>("buildGrantStatements");

test.before.each(async (scene) => {
  scene.db = await openTestDatabase();
  scene.owner = await scene.db.freshUrl();
  scene.role = `${new URL(scene.owner).pathname.slice(1)}_service`;
  scene.service = Object.assign(new URL(scene.owner), { username: scene.role, password: "p/a's w@rd" }).href;
});
test.after.each(async ({ db, owner, role }) => {
  await withAdminConnection(owner, async (sql) => {
    const [there] = await sql`select from pg_roles where rolname = ${role}`;
    if (there) await sql.unsafe(`reassign owned by ${role} to current_user; drop owned by ${role}; drop role ${role}`);
  });
  await db.close();
});

const install = ({ service, owner }: Scene) => migrate(service, migrations, owner);
const PRIVILEGES = ["select", "insert", "update", "delete", "truncate", "references", "trigger"];

/** Returns which of these privileges the role has on each table or any of its columns. */
async function readRights({ owner, role }: Scene): Promise<Record<string, string>> {
  const rows = await withAdminConnection(
    owner,
    (sql) =>
      sql`select relname as table, coalesce(string_agg(privilege, ', ' order by n), '') as rights
      from pg_class cross join unnest(${PRIVILEGES}::text[]) with ordinality as asked (privilege, n)
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm') and (
        has_table_privilege(${role}, pg_class.oid, privilege)
        or privilege = any('{select,insert,update,references}') and has_any_column_privilege(${role}, pg_class.oid, privilege))
      group by relname`,
  );
  return Object.fromEntries(rows.map(({ table, rights }) => [table, rights]));
}

test("grants exactly the declared privileges on each table", async (scene) => {
  await install(scene);
  const tables = await withAdminConnection(
    scene.owner,
    (sql) => sql`select tablename from pg_tables where schemaname = 'public'`,
  );
  assert.equal(Object.keys(TABLE_PRIVILEGES).sort(), tables.map(({ tablename }) => tablename).sort());
  const sorted = (rights: Record<string, string>) => Object.entries(rights).sort();
  const found = await readRights(scene);
  assert.equal(sorted(found), sorted(TABLE_PRIVILEGES));
  assert.is(found.audit_events, "select, insert");
  assert.is(found.audit_seals, "select, insert, update"); // a trigger only allows increases
});

const FORBIDDEN = [
  "update audit_events set kind = 'x'",
  "delete from audit_events",
  "truncate audit_events",
  "delete from audit_seals",
  "alter table audit_events disable trigger all",
  "alter table audit_seals disable trigger audit_seals_forward_only",
  "drop trigger audit_events_append_only on audit_events",
  "create or replace function refuse_audit_change() returns trigger language plpgsql as $$ begin return new; end $$",
  "set session_replication_role = replica",
  "drop table audit_events",
  "drop schema public cascade",
  "create table mine (a int)",
  "delete from migrations",
  "grant update on audit_events to public",
];

test("the service can change neither the audit log nor its triggers", async (scene) => {
  await install(scene);
  const service = connect(scene.service, 1);
  const codes: string[] = [];
  for (const statement of FORBIDDEN) {
    const { code } = await rejection(service.begin(async (sql) => {
      await sql.unsafe(statement);
      // In PostgreSQL, a grant without permission is a warning without effect.
      const [row] = await sql`select has_table_privilege('public', 'audit_events', 'update') as granted`;
      const inVain = statement.startsWith("grant") && !row!.granted;
      throw Object.assign(new Error("It was not refused"), { code: inVain ? "42501" : "none" });
    }));
    codes.push(code!);
  }
  await service.end();
  assert.equal(codes.map((code, i) => [FORBIDDEN[i], code]), FORBIDDEN.map((statement) => [statement, "42501"]));
});

test("revokes extra privileges and keeps the password", async (scene) => {
  await install(scene);
  await withAdminConnection(scene.owner, (sql) => sql.unsafe(`grant all on audit_events, users to ${scene.role}`));
  const again = Object.assign(new URL(scene.service), { password: "another" }).href;
  assert.equal(await migrate(again, migrations, scene.owner), []);
  const { audit_events, users } = await readRights(scene);
  assert.equal([audit_events, users], [TABLE_PRIVILEGES.audit_events, TABLE_PRIVILEGES.users]);
  await withAdminConnection(scene.service, (sql) => sql`select 1 from users`);
});

test("the previous release can write while a migration's trigger fills a new table", async (scene) => {
  await install(scene);
  const added = `create table notes (id text);
    create function note() returns trigger language plpgsql as $$ begin insert into notes values (new.id); return null; end $$;
    create trigger users_noted after insert on users for each row execute function note()`;
  const all = [...migrations, ["9998_note_users", added], ["9999_break", "select 1 / 0"]] as const;
  await rejection(migrate(scene.service, all, scene.owner)); // it stopped there: nothing was granted
  await withAdminConnection(
    scene.service,
    (sql) => sql`insert into users (id, email, display_name) values ('u', 'u@x.org', 'U')`,
  );
  assert.is((await withAdminConnection(scene.owner, (sql) => sql`select from notes`)).length, 1);
  const defaults = await withAdminConnection(scene.owner, (sql) => sql`select from pg_default_acl`);
  assert.is(defaults.length, 0, "later tables get no temporary grants");
});

test("the service can read and raise fences", async (scene) => {
  await install(scene);
  const service = await openDatabase({ url: scene.service, size: 2, log: SILENT_LOG });
  const last = await readLastFence(service.rows), sight = { fence: last + 5n } as ClusterSurvey;
  const [fences] = checkFences([sight], last);
  await service.transact((tx) => raiseFences(tx, (fences!.resolution!.change as { minimum: bigint }).minimum));
  const after = await readLastFence(service.rows);
  await service.close();
  assert.ok(after > last + 5n);
});

test("concurrent starts do not fail", async (scene) => {
  const applied = await Promise.all([1, 2, 3, 4].map(() => install(scene)));
  assert.equal(applied.flat().sort(), migrations.map(([name]) => name));
});

test("without the owner, accepts applied migrations or reports who must apply the others", async (scene) => {
  const all = [...migrations, ["9999_add_more", "create table more (a int)"]] as const;
  await install(scene);
  assert.equal(await migrate(scene.service, migrations), []);
  const failure = await rejection(migrate(scene.service, all));
  assert.is(failure.name, "MigrationError");
  assert.match(
    failure.message,
    /lacks 1 migration of this release, from 9999_add_more\.sql on, .*DATABASE_OWNER_URL/,
  );
});

/** An installation in which the service has created everything itself. */
async function installAlone({ owner, role, service }: Scene): Promise<void> {
  await withAdminConnection(owner, async (sql) => {
    await sql.unsafe(`create role ${role} login password 'p/a''s w@rd'`);
    await sql.unsafe(`alter database ${new URL(owner).pathname.slice(1)} owner to ${role}`);
  });
  await migrate(service, migrations.slice(0, -1));
}

test("transfers the ownership from the service's role to the owner", async (scene) => {
  await installAlone(scene);
  assert.equal((await install(scene)).length, 1);
  assert.equal((await readRights(scene)).audit_events, TABLE_PRIVILEGES.audit_events);
  await withAdminConnection(scene.service, (sql) => sql`select 1 from deprecation_notices`);
  for (const statement of ["alter table audit_events disable trigger all", "drop schema public cascade"]) {
    assert.is((await rejection(withAdminConnection(scene.service, (sql) => sql.unsafe(statement)))).code, "42501");
  }
});

test("keeps the privileges of a role that is also the owner", async (scene) => {
  await installAlone(scene);
  await migrate(scene.service, migrations, scene.service);
  await withAdminConnection(
    scene.service,
    (sql) => sql.unsafe("truncate deprecation_notices; create table more (a int)"),
  );
});

test("names the missing role if the owner may not create roles", async (scene) => {
  const { owner, role, service } = scene, other = `${role}_other`;
  await withAdminConnection(owner, async (sql) => {
    await sql.unsafe(`create role ${role} login password 'p/a''s w@rd'`);
    await sql.unsafe(`alter database ${new URL(owner).pathname.slice(1)} owner to ${role}`);
    await sql.unsafe("grant create on schema public to public");
  });
  const failure = await rejection(
    migrate(Object.assign(new URL(owner), { username: other }).href, migrations, service),
  );
  assert.is(failure.name, "MigrationError");
  assert.match(
    failure.message,
    new RegExp(`^The owner cannot create the service's role ${other}: permission denied`),
  );
});

test.run();
