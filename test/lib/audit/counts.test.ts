/** Tests that counts reveal deleted and added events, sealed or not. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { listChains } from "#lib/audit/seals.ts";
import { verifyChain } from "#lib/audit/verify.ts";
import { eventAt, sealAll, tamper, write } from "#test/lib/audit/scene.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { insertHub, insertUser } from "#test/support/insert-rows.ts";
import { rejection } from "#test/support/until.ts";

interface Scene {
  db: TestDatabase;
  /** A hub with 30 sealed and 2 unsealed events, created for each test. */
  hub: string;
  user: string;
}

const test = suite<Scene>("verifyChain by counts");

test.before(async (scene) => {
  scene.db = await openTestDatabase();
  scene.user = await insertUser(scene.db);
});
test.before.each(async (scene) => {
  scene.hub = await insertHub(scene.db, scene.user, `h${performance.now()}`);
  await write(scene.db, scene.hub, 30);
  await sealAll(scene.db);
  await write(scene.db, scene.hub, 2);
});
test.after((scene) => scene.db.close());

async function problemsOf({ db, hub }: Scene): Promise<string> {
  return (await verifyChain(db, hub, [])).problems.join("; ");
}

test("finds an event that was deleted, added or moved before it was sealed", async (scene) => {
  const other = await insertHub(scene.db, scene.user, "unsealed-other");
  await write(scene.db, other, 3);
  const newest = await eventAt(scene.db, scene.hub, 32);
  await tamper(scene.db, `update audit_events set federation_id = '${other}' where id = '${newest}'`);
  assert.is(
    await problemsOf(scene),
    "The database counted 32 events, but 31 are left: events were deleted or moved",
  );
  assert.is(
    await problemsOf({ ...scene, hub: other }),
    "The database counted 3 events, but 4 exist: events were inserted or moved here",
  );
  await tamper(scene.db, `delete from audit_events where id = '${newest}'`);
  assert.match(await problemsOf(scene), /^The database counted 32 events, but 31 are left/);
  assert.is(await problemsOf({ ...scene, hub: other }), "");
  await sealAll(scene.db);
  assert.match(await problemsOf(scene), /^The database counted 32 events, but 31 are left/);
});

test("finds a chain of which every event was deleted before it was sealed", async (scene) => {
  scene.hub = await insertHub(scene.db, scene.user, "emptied");
  await write(scene.db, scene.hub, 3);
  await tamper(scene.db, `delete from audit_events where federation_id = '${scene.hub}'`);
  assert.ok((await listChains(scene.db.rows)).includes(scene.hub));
  assert.match(await problemsOf(scene), /^The database counted 3 events, but 0 are left/);
});

test("finds events of a chain without a count", async (scene) => {
  scene.hub = await insertHub(scene.db, scene.user, "uncounted");
  await write(scene.db, scene.hub, 3);
  await tamper(scene.db, `delete from audit_counts where chain = '${scene.hub}'`);
  assert.match(await problemsOf(scene), /^The database counted 0 events, but 3 exist/);
});

test("refuses to lower, delete or empty a count", async ({ db, hub }) => {
  for (
    const statement of [
      "update audit_counts set events = events - 1",
      "update audit_counts set events = events + 1, chain = 'other'",
      `update audit_counts set events = events + 1, chain = '${hub}x' where chain = '${hub}'`,
      "delete from audit_counts",
      "truncate audit_counts",
    ]
  ) {
    assert.match(String(await rejection(db.sql(statement))), /audit_counts only grows/, statement);
  }
});

test.run();
