import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  ensureBackup,
  markBackupFailed,
  markBackupReady,
  saveBackupVolumes,
  startBackup,
} from "#lib/domains/backups/store.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { findSpoke, type SpokeRow } from "#lib/domains/spokes/store.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { insertHub, insertSpoke, insertUser } from "#test/support/insert-rows.ts";

const test = suite<{ db: TestDatabase; spoke: SpokeRow }>("startBackup");
test.before(async (context) => {
  const db = context.db = await openTestDatabase();
  const user = await insertUser(db);
  context.spoke = (await findSpoke(db.rows, await insertSpoke(db, user, await insertHub(db, user)), "shown"))!;
});
test.after(({ db }) => db.close());

const VOLUMES = [{ claim: "files", snapshot: "files-1", restoreSize: 5 }, { claim: "data-db-0", snapshot: "db-1" }];

function within<T>({ db }: { db: TestDatabase }, work: (tx: Tx) => Promise<T>): Promise<T> {
  return db.transact(work);
}

test("creates one backup per operation, even if called again", async (context) => {
  const origin = { operationId: "op_1", kind: "manual" } as const;
  const first = await within(context, (tx) => startBackup(tx, context.spoke, origin));
  const again = await Promise.all(
    [1, 2, 3].map(() => within(context, (tx) => startBackup(tx, context.spoke, origin))),
  );
  assert.equal(again.map(({ id }) => id), [first.id, first.id, first.id]);
  assert.match(first.id, /^bak_[0-9a-z]{26}$/);
});

test("continues the backup of a failed attempt, and ensureBackup leaves it unchanged", async (context) => {
  const origin = { operationId: "op_2", kind: "last" } as const;
  const { id } = await within(context, (tx) => startBackup(tx, context.spoke, origin));
  await within(context, (tx) => markBackupFailed(tx, "op_2", "no luck"));
  assert.is((await within(context, (tx) => ensureBackup(tx, context.spoke, origin))).state, "failed");
  const next = await within(context, (tx) => startBackup(tx, context.spoke, origin));
  assert.equal([next.id, next.state, next.error, next.failedAt], [id, "pending", null, null]);
  const ready = await within(context, (tx) => markBackupReady(tx, id, VOLUMES));
  assert.equal([ready.state, ready.sizeBytes], ["ready", null]); // one of the two sizes is unknown
  assert.is((await within(context, (tx) => startBackup(tx, context.spoke, origin))).state, "ready");
});

test("leaves a ready backup unchanged after a late failure or a late plan", async (context) => {
  const origin = { operationId: "op_3", kind: "nightly" } as const;
  const { id } = await within(context, (tx) => startBackup(tx, context.spoke, origin));
  await within(context, (tx) => markBackupReady(tx, id, VOLUMES));
  await within(context, (tx) => saveBackupVolumes(tx, id, [], context.spoke));
  const late = await within(context, (tx) => markBackupFailed(tx, "op_3", "too late"));
  assert.equal([late!.state, late!.error, late!.volumes.length], ["ready", null, 2]);
});

test("cannot store a contradictory row, or the removal of a last backup", async ({ db }) => {
  for (
    const change of [
      "state = 'deleted'",
      "deleted_at = now()",
      "state = 'ready', ready_at = null",
      "state = 'failed', failed_at = null",
      "kind = 'last', deleting_since = now()",
      "size_bytes = -1",
    ]
  ) {
    const refused = await db.sql(`update backups set ${change}`).then(() => null, (error) => error);
    assert.match(String(refused), /check constraint/, change);
  }
});

test.run();
