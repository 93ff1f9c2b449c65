import { suite } from "uvu";
import * as assert from "uvu/assert";
import { getMinimumDiskSizes, requireUsableBackup } from "#lib/domains/backups/usable.ts";
import { saveSnapshotClasses } from "#lib/domains/backups/store.ts";
import { Refusal } from "#lib/base/refusals.ts";
import { createId } from "#lib/base/ids.ts";
import { OPERATIONS } from "#lib/operations/table.ts";
import { enqueueJob } from "#lib/jobs/store.ts";
import { SYSTEM_REQUESTER } from "#lib/audit/requester.ts";
import { buildSpokeJob } from "#lib/domains/spokes/operation.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { insertHub, insertSpoke, insertUser } from "#test/support/insert-rows.ts";
import { rejection } from "#test/support/until.ts";

const test = suite<{ db: TestDatabase; spoke: SpokeRow }>("requireUsableBackup");
test.before.each(async (context) => {
  const db = context.db = await openTestDatabase(), user = await insertUser(db);
  const id = await insertSpoke(db, user, await insertHub(db, user), "oak");
  const inputs = { images: { moodle: "m:v4.5.12", postgres: "postgres:17-alpine", fpmDirectory: "/f" } };
  context.spoke = await db.rows.updateTable("spokes")
    .set({ state: "active", siteIdentifier: "abc", blueprintInputs: JSON.stringify(inputs) }).where("id", "=", id)
    .returningAll().executeTakeFirstOrThrow();
});
test.after.each(({ db }) => db.close());

const VOLUMES = ["files", "data-db-0"].map((claim) => ({ claim, snapshot: "s", handle: "h", driver: "disk.example" }));

/** Inserts a good backup of the spoke with these changes. */
async function backup({ db, spoke }: { db: TestDatabase; spoke: SpokeRow }, more: object = {}): Promise<string> {
  const id = createId("bak"), at = new Date();
  await db.rows.insertInto("backups").values({
    ...{ id, spokeId: spoke.id, federationId: spoke.federationId, operationId: createId("op"), cluster: "default" },
    ...{ namespace: "n", kind: "nightly", state: "ready", createdAt: at, readyAt: at },
    ...{ volumes: JSON.stringify(VOLUMES), lmsVersion: "4.5.12", siteIdentifier: "abc" },
    ...{ images: JSON.stringify(spoke.blueprintInputs.images) },
    ...more,
  }).execute();
  return id;
}

async function refusal({ db, spoke }: { db: TestDatabase; spoke: SpokeRow }, id?: string): Promise<string> {
  const error = await rejection(requireUsableBackup(db.rows, spoke, id));
  assert.instance(error, Refusal);
  return `${error.code}: ${error.message}`;
}

test("selects the named backup, or else the newest good one", async (context) => {
  const { db, spoke } = context;
  const first = await backup(context), second = await backup(context);
  await backup(context, { state: "pending", readyAt: null });
  await backup(context, { deletingSince: new Date() });
  assert.is((await requireUsableBackup(db.rows, spoke, undefined)).id, second);
  assert.is((await requireUsableBackup(db.rows, spoke, first)).id, first);
});

test("accepts a backup without a recorded site identifier", async (context) => {
  const id = await backup(context, { lmsVersion: null, images: null, siteIdentifier: null });
  assert.is((await requireUsableBackup(context.db.rows, context.spoke, id)).id, id);
});

test("rejects a backup that is missing, not ready or of another spoke", async (context) => {
  const { db, spoke } = context;
  assert.is(await refusal(context), "NoBackup: The spoke oak has no backup that is ready");
  const other = await insertSpoke(db, spoke.createdBy, spoke.federationId, "ash");
  const foreign = await backup(context, { spokeId: other });
  assert.match(await refusal(context, foreign), /^NoBackup: The spoke oak has no backup bak_/);
  const errorFor = async (more: object) =>
    (await refusal(context, await backup(context, more))).replace(/bak_\w+/, "it");
  assert.is(await errorFor({ state: "pending", readyAt: null }), "BackupNotReady: The backup it is being taken");
  const failed = { state: "failed", readyAt: null, failedAt: new Date() };
  assert.is(await errorFor(failed), "BackupNotReady: The backup it was never completed");
  assert.is(await errorFor({ deletingSince: new Date() }), "BackupNotReady: The backup it has expired and was deleted");
  assert.is(
    await errorFor({ state: "deleted", deletedAt: new Date() }),
    "BackupNotReady: The backup it has expired and was deleted",
  );
});

test("rejects a backup that the spoke's cluster or database cannot use", async (context) => {
  const errorFor = async (more: object) =>
    (await refusal(context, await backup(context, more))).replace(/bak_\w+/, "it");
  assert.is(
    await errorFor({ cluster: "east" }),
    "another_cluster: The backup it is in the cluster east, but the spoke is in the cluster default",
  );
  const older = JSON.stringify({ moodle: "m:v4.5.12", postgres: "postgres:16-alpine", fpmDirectory: "/f" });
  assert.is(
    await errorFor({ images: older }),
    "AnotherPostgres: The backup it needs PostgreSQL 16, but the spoke runs PostgreSQL 17",
  );
  assert.is(await errorFor({ siteIdentifier: "xyz" }), "AnotherSite: The backup it belongs to another site");
  assert.is(
    await errorFor({ volumes: JSON.stringify(VOLUMES.slice(1)) }),
    "Incomplete: The backup it does not contain both volumes of the spoke",
  );
  await saveSnapshotClasses(context.db.rows, "default", [{ name: "keeping", driver: "other.example" }]);
  assert.match(
    await errorFor({}),
    /^NoSnapshotClass: The backup it needs a VolumeSnapshotClass for disk\.example with the deletion policy Retain/,
  );
});

test("rejects a backup from before an upgrade unless its version was recorded", async (context) => {
  const { db, spoke } = context;
  const old = await backup(context, { lmsVersion: null }), noted = await backup(context);
  const job = await db.transact((tx) =>
    enqueueJob(tx, SYSTEM_REQUESTER, buildSpokeJob(spoke, OPERATIONS.upgrade.name))
  );
  await db.sql("update jobs set state = 'succeeded', finished_at = now() + interval '1 minute' where id = $1", [
    job.id,
  ]);
  assert.match(await refusal(context, old), /^VersionUnknown: .* was taken before an upgrade of the spoke/);
  assert.is((await requireUsableBackup(db.rows, spoke, noted)).id, noted);
});

test.run();

const least = suite("minimumDisks");

least("distinguishes the PVCs of files and database by their role, not their name", () => {
  const volumes = [{ claim: "data-abc-db-0", restoreSize: 7 }, { claim: "files-abc", restoreSize: null }];
  assert.equal(getMinimumDiskSizes({ volumes } as never), { files: null, database: 7 });
});

least.run();
