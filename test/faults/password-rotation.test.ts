/** Tests a changed password of the database role while the program runs: replacing the file is enough, without a
 * restart. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sql } from "kysely";
import type { App } from "#lib/app.ts";
import { SILENT_LOG } from "#lib/base/log.ts";
import { createReadinessProbe } from "#lib/http/readiness.ts";
import { createReadinessChecks } from "#src/readiness.ts";
import { read } from "#test/lib/base/config-scene.ts";
import { openTestDatabase } from "#test/support/database.ts";
import { rejection, until } from "#test/support/until.ts";

const test = suite("rotated database password");

test("is read from its file for the next connection; readyz reports the error until then", async () => {
  const directory = await mkdtemp(join(tmpdir(), "wheelwright-password-")), file = join(directory, "url");
  const db = await openTestDatabase(), role = `rotated_${new URL(db.url).pathname.slice(-8)}`;
  const write = (password: string) =>
    writeFile(file, `${Object.assign(new URL(db.url), { username: role, password }).href}\n`);
  const rotate = (password: string) => db.sql(`alter role ${role} password '${password}'`);
  const cut = () => db.sql("select pg_terminate_backend(pid) from pg_stat_activity where usename = $1", [role]);
  try {
    await db.sql(`create role ${role} superuser login password 'first'`);
    await write("first");
    const { source } = read({
      ...{ DATABASE_URL_FILE: file, PUBLIC_URL: "https://x.example", ROOT_DOMAIN: "x.example", KUBECONFIG: file },
    }).database;
    const opened = await db.openAgain({ url: source, size: 2 });
    const app: App = Object.assign(Object.create(null), { db: opened, log: SILENT_LOG });
    const ready = createReadinessProbe(app, createReadinessChecks(), () => []);
    assert.is((await ready()).status, "ok");

    await rotate("second");
    await sql`select 1`.execute(opened.rows); // existing sessions continue
    await cut();
    const refused = await until(async () => {
      const failure = await ready().then(() => null, (error: Error) => error);
      return failure && /refuses/.test(failure.message) ? failure : null;
    });
    assert.match(refused.message, /^Not ready: database \(the server refuses the role or its password\)/);
    assert.not.match(refused.message, /first|second/);
    assert.instance(await rejection(sql`select 1`.execute(opened.rows)), Error);

    await write("second");
    assert.is(await until(() => ready().then(({ status }) => status, () => null)), "ok");
    assert.equal((await sql`select 1 as one`.execute(opened.rows)).rows, [{ one: 1 }]);
  } finally {
    await db.close();
    await rm(directory, { recursive: true });
    const other = await openTestDatabase();
    await other.sql(`drop role if exists ${role}`);
    await other.close();
  }
});

test.run();
