/** Tests `wheelwright restore-database` as a process. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { rowsIn, undate } from "#test/lib/drivers/dump/dump-scene.ts";
import { withAdminConnection } from "#test/support/server.ts";
import { type BackupContext, PASSPHRASE, withBackups } from "./backup-fixture.ts";

const test = suite<BackupContext>("wheelwright restore-database");
withBackups(test);

test("restores an empty database, holds it, and records the requester", async ({ run, file, db }) => {
  await run(["backup", file], { DATABASE_URL: db.url, BACKUP_PASSPHRASE: PASSPHRASE });
  const url = await db.freshUrl();
  const { status, text } = await run(["restore-database", file], { DATABASE_URL: url, BACKUP_PASSPHRASE: PASSPHRASE });
  assert.is(status, 0, text);
  assert.match(
    text,
    /^Restored \d+ tables, [\d,]+ rows, taken at .*\nThe database is on hold: .*\nwheelwright doctor --reconcile$/,
  );
  assert.is(await undate(url), 0);
  assert.equal((await rowsIn(url)).spokes, (await rowsIn(db.url)).spokes);
  const [event] = await withAdminConnection(
    url,
    (sql) =>
      sql`select *, xmin = (select xmin from database_restores) as together from audit_events
        where kind = 'database_restored'`,
  );
  assert.match(event!.user_agent, "wheelwright restore-database");
  assert.equal(Object.keys(event!.metadata), ["release", "takenAt"]);
  assert.ok(event!.together, "the event is of another transaction: who is killed between has none");
  const verified = await run(["audit", "verify"], { DATABASE_URL: url });
  assert.is(verified.status, 0, verified.text);

  const again = await run(["restore-database", file], { DATABASE_URL: url, BACKUP_PASSPHRASE: PASSPHRASE });
  assert.is(again.status, 65, again.text);
  assert.match(again.text, /is not empty: .*dropdb/);
});

test("grants the service's role its rights after a restore as the owner", async ({ run, file, db }) => {
  const url = await db.freshUrl(), role = `role_${new URL(url).pathname.slice(-8)}`;
  await run(["backup", file]);
  const service = Object.assign(new URL(url), { username: role, password: "secret" }).href;
  try {
    const { status, text } = await run(["restore-database", file], { DATABASE_URL: service, DATABASE_OWNER_URL: url });
    assert.is(status, 0, text);
    const again = await run(["backup", `${file}.2`], { DATABASE_URL: service });
    assert.is(again.status, 0, again.text);
    assert.match(again.text, /^Backed up \d+ tables/);
  } finally {
    await withAdminConnection(url, (sql) => sql.unsafe(`drop owned by ${role} cascade; drop role ${role}`));
  }
});

test("rejects a truncated or foreign file in one sentence", async ({ run, file, db }) => {
  await run(["backup", file]);
  const complete = await readFile(file), url = await db.freshUrl();
  for (const content of [complete.subarray(0, complete.length / 2), Buffer.from("something else"), Buffer.alloc(0)]) {
    await writeFile(file, content);
    for (const line of [["backup", "--verify", file], ["restore-database", file]]) {
      const { status, text } = await run(line, { DATABASE_URL: url });
      assert.is(status, 65, text);
      assert.match(text, /^The backup \S+ cannot be used: /);
    }
  }
  const { status, text } = await run(["restore-database", `${file}.missing`], { DATABASE_URL: url });
  assert.is(status, 69);
  assert.match(text, "no such file or directory");
});

test("rejects an unencrypted file if a passphrase is set, unless it is allowed", async ({ run, file, db }) => {
  await run(["backup", file]);
  const env = { DATABASE_URL: await db.freshUrl(), BACKUP_PASSPHRASE: PASSPHRASE };
  for (const line of [["backup", "--verify", file], ["restore-database", file]]) {
    const refused = await run(line, env);
    assert.is(refused.status, 65, refused.text);
    assert.match(refused.text, /is not encrypted, although BACKUP_PASSPHRASE is set\. .*--allow-unencrypted/);
    const allowed = await run([...line, "--allow-unencrypted"], env);
    assert.is(allowed.status, 0, allowed.text);
  }
});

test("restores the database of npm start if none is configured, and explains how to empty it", async ({ run, file, directory }) => {
  await run(["backup", file]);
  const env = { DATA_DIR: join(directory, "dev") };
  const { status, text } = await run(["restore-database", file], env);
  assert.is(status, 0, text);
  assert.match(text, /^Restored \d+ tables, .*, into .*postgres\n/);
  const again = await run(["restore-database", file], env);
  assert.is(again.status, 65, again.text);
  assert.match(again.text, /is not empty: .*Stop npm start, move .*postgres away/);
  const doctor = await run(["doctor"], env);
  assert.match(doctor.text, /✓ migrations/, "doctor checks that database");
  assert.match(doctor.text, /PUBLIC_URL is missing/, "and says what serve would need");
});

test.run();
