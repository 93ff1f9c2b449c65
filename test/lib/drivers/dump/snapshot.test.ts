/** Tests what a backup reads while others write to the database and migrate it. */
import type { Row } from "postgres";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { applyMigrationsInTransaction, migrate } from "#lib/drivers/db/migrate.ts";
import type { Migration } from "#lib/drivers/db/compare-schema.ts";
import { restoreDatabaseBackup } from "#lib/drivers/dump/restore.ts";
import { readBackupParts } from "#lib/drivers/dump/script.ts";
import { openDatabaseSnapshot } from "#lib/drivers/dump/snapshot.ts";
import { SYSTEM_REQUESTER } from "#lib/audit/requester.ts";
import { recordChange } from "#lib/changes/record.ts";
import { migrations } from "#src/migrations.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { insertHub, insertUser } from "#test/support/insert-rows.ts";
import { withAdminConnection } from "#test/support/server.ts";
import { until } from "#test/support/until.ts";
import { backUp, fill, nothing, once, restore } from "./dump-scene.ts";

const test = suite<{ db: TestDatabase; url: string; hub: string }>("openDatabaseSnapshot");
test.before(async (context) => {
  context.db = await openTestDatabase();
  context.hub = (await fill(context.db)).hub;
});
test.before.each(async (context) => void (context.url = await context.db.freshUrl()));
test.after(({ db }) => db.close());

const ask = (url: string, text: string): Promise<Row[]> =>
  withAdminConnection(url, async (sql) => [...await sql.unsafe(text)]);

test("reads a consistent snapshot during writes", async ({ db, url, hub }) => {
  const before = await ask(db.url, COUNTS);
  const snapshot = await openDatabaseSnapshot(db.url, "0.1.0", migrations), found: Buffer[] = [];
  for await (const piece of snapshot.text(nothing)) {
    found.push(piece);
    // Between chunks it inserts another hub in many tables, and more rows for the first hub.
    if (found.length % 5 === 0 && found.length < 100) {
      const other = await insertHub(db, await insertUser(db), `h${found.length}`);
      for (const federationId of [hub, other]) await write(db, federationId);
    }
  }
  await snapshot.close();
  await restoreDatabaseBackup({ url, parts: readBackupParts(once(Buffer.concat(found)), nothing), migrations });
  assert.equal(await ask(url, COUNTS), before);
  assert.ok((await ask(db.url, COUNTS))[0]!.hubs > before[0]!.hubs + 3);
});

test("returns the rows' schema if a migration ends in between", async ({ db, url }) => {
  const place = await db.freshUrl(),
    later: Migration = ["9999_note_colour", "alter table users add column colour text"];
  await migrate(place, migrations);
  const taken = await withAdminConnection(place, (sql) =>
    sql.begin(async (tx) => {
      await applyMigrationsInTransaction((text) => tx.unsafe(text), [later]);
      await tx`insert into users (id, email, display_name, colour) values ('usr_1', 'a@example.org', 'A', 'blue')`;
      const taken = backUp(place, null, [...migrations, later]);
      await until(async () => (await db.sql(WAITING)).length > 0);
      return [taken];
    }));
  await restore(url, await taken[0]!, { known: [...migrations, later] });
  assert.equal(await ask(url, "select colour from users"), [{ colour: "blue" }]);
});

const WAITING =
  "select from pg_stat_activity where application_name = 'wheelwright-backup' and wait_event_type = 'Lock'";

const COUNTS = `select (select count(*) from federations)::int as hubs, (select count(*) from users)::int as users,
  (select count(*) from audit_events)::int as audit, (select count(*) from stream_events)::int as events`;

async function write(db: TestDatabase, federationId: string): Promise<void> {
  const audit = [{
    kind: "federation_updated" as const,
    objectType: "federation" as const,
    objectId: "x",
    federationId,
  }];
  await db.transact((tx) =>
    recordChange(tx, SYSTEM_REQUESTER, { audit, events: [{ federationId, state: "active", operation: null }] })
  );
}

test.run();
