/** Tests the rows that a restore adds to those of the backup. */
import type { Row } from "postgres";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { unpackBackup } from "#lib/drivers/dump/pack.ts";
import { restoreDatabaseBackup } from "#lib/drivers/dump/restore.ts";
import { readBackupParts } from "#lib/drivers/dump/script.ts";
import { SYSTEM_REQUESTER } from "#lib/audit/requester.ts";
import { recordChange } from "#lib/changes/record.ts";
import { migrations } from "#src/migrations.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { withAdminConnection } from "#test/support/server.ts";
import { rejection } from "#test/support/until.ts";
import { backUp, fill, nothing, once } from "./dump-scene.ts";

const test = suite<{ db: TestDatabase }>("restoreDatabaseBackup, note");
test.before(async (context) => {
  context.db = await openTestDatabase();
  await fill(context.db);
});
test.after(({ db }) => db.close());

const ask = (url: string, text: string): Promise<Row[]> =>
  withAdminConnection(url, async (sql) => [...await sql.unsafe(text)]);

test("writes the note in the transaction of the restore", async ({ db }) => {
  const url = await db.freshUrl();
  const text = await backUp(db.url),
    parts = () => readBackupParts(unpackBackup(once(text), () => Promise.resolve("")), nothing);
  const reason = new Error("The disk is full");
  const note = () => Promise.reject(reason);
  assert.is(await rejection(restoreDatabaseBackup({ url, parts: parts(), migrations, note })), reason);
  assert.equal(await ask(url, "select from pg_class where relnamespace = 'public'::regnamespace"), []);
  const audit = [{
    kind: "database_restored" as const,
    objectType: "database" as const,
    objectId: "it",
    metadata: { at: ["é"] },
  }];
  await restoreDatabaseBackup({
    url,
    parts: parts(),
    migrations,
    note: (tx) => recordChange(tx, SYSTEM_REQUESTER, { audit }),
  });
  const [event] = await ask(url, "select metadata, at, customer_visible from audit_events where object_id = 'it'");
  assert.equal(event!.metadata, { at: ["é"] });
  assert.is(event!.customer_visible, false);
  const [{ newest }] = await ask(url, "select max(at) as newest from audit_events where federation_id is null") as [
    Row,
  ];
  assert.equal(newest, event!.at);
});

test.run();
