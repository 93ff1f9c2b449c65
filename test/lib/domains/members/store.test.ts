import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readUser, type User } from "#lib/domains/users/store.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { addHubAdmin, addSpokeAdmin, createTestUser, type TestUser } from "#test/support/users.ts";
import { insertHub, insertSpoke } from "#test/support/insert-rows.ts";
import { NOW, updateRows } from "#test/support/rows.ts";

interface Stage {
  db: TestDatabase;
  root: TestUser;
}

const test = suite<Stage>("getUserRole");

test.before.each(async (stage) => {
  stage.db = await openTestDatabase();
  stage.root = await createTestUser(stage.db, "root", { operator: true });
});
test.after.each((stage) => stage.db.close());

test("returns the user's hubs, and the spokes of other hubs", async ({ db, root }) => {
  const ada = await createTestUser(db, "ada");
  const [north, south] = [await insertHub(db, root.id, "north"), await insertHub(db, root.id, "south")];
  const [oak, elm] = [await insertSpoke(db, root.id, north, "oak"), await insertSpoke(db, root.id, south, "elm")];
  await addHubAdmin(db, ada, north);
  await addSpokeAdmin(db, ada, oak);
  await addSpokeAdmin(db, ada, elm);
  assert.equal(permissionsOf(await readUser(db.rows, ada.id)), ["hub_admin", [north], [elm]]);
});

test("returns spoke_admin for memberships in spokes only, or for none", async ({ db, root }) => {
  const [ada, bob] = [await createTestUser(db, "ada"), await createTestUser(db, "bob")];
  const spoke = await insertSpoke(db, root.id, await insertHub(db, root.id));
  await addSpokeAdmin(db, ada, spoke);
  assert.equal(permissionsOf(await readUser(db.rows, ada.id)), ["spoke_admin", [], [spoke]]);
  assert.equal(permissionsOf(await readUser(db.rows, bob.id)), ["spoke_admin", [], []]);
});

test("returns operator whatever the memberships", async ({ db, root }) => {
  const hub = await insertHub(db, root.id);
  await addHubAdmin(db, root, hub);
  assert.equal(permissionsOf(await readUser(db.rows, root.id)), ["operator", [hub], []]);
});

test("ignores memberships and the operator flag of an unverified address", async ({ db }) => {
  const ops = await createTestUser(db, "ops", { operator: true, verified: false });
  assert.equal(permissionsOf(await readUser(db.rows, ops.id)), ["spoke_admin", [], []]);
});

test("ignores memberships of an unverified address", async ({ db, root }) => {
  const ada = await createTestUser(db, "ada", { verified: false });
  const [north, south] = [await insertHub(db, root.id, "north"), await insertHub(db, root.id, "south")];
  await addHubAdmin(db, ada, north);
  await addSpokeAdmin(db, ada, await insertSpoke(db, root.id, south));
  assert.equal(permissionsOf(await readUser(db.rows, ada.id)), ["spoke_admin", [], []]);
});

test("ignores memberships in removed objects", async ({ db, root }) => {
  const ada = await createTestUser(db, "ada");
  const [north, south] = [await insertHub(db, root.id, "north"), await insertHub(db, root.id, "south")];
  await addHubAdmin(db, ada, north);
  await addSpokeAdmin(db, ada, await insertSpoke(db, root.id, south));
  await updateRows(db, "spokes", { state: "removed", removedAt: NOW });
  await updateRows(db, "federations", { state: "removed", removedAt: NOW }, { id: north });
  assert.equal(permissionsOf(await readUser(db.rows, ada.id)), ["spoke_admin", [], []]);
});

test.run();

function permissionsOf({ role, federationIds, spokeIds }: User): unknown[] {
  return [role, federationIds, spokeIds];
}
