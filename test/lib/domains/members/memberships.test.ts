import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  addMembership,
  listAdministeredNames,
  listMembers,
  removeMembership,
} from "#lib/domains/members/memberships.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { createTestUser } from "#test/support/users.ts";
import { insertHub, insertSpoke } from "#test/support/insert-rows.ts";
import { NOW, updateRows } from "#test/support/rows.ts";

const test = suite<{ db: TestDatabase; root: string }>("memberships");

test.before(async (stage) => {
  stage.db = await openTestDatabase();
  stage.root = (await createTestUser(stage.db, "root", { operator: true })).id;
});
test.after(({ db }) => db.close());

test("are added and removed once, in a hub and in a spoke", async ({ db, root }) => {
  const federationId = await insertHub(db, root, "hub"), spokeId = await insertSpoke(db, root, federationId);
  const ada = await createTestUser(db, "ada"), bob = await createTestUser(db, "bob");
  for (const membership of [{ federationId }, { spokeId }]) {
    const change = (what: typeof addMembership, person = ada) => db.transact((tx) => what(tx, membership, person.id));
    assert.equal([await change(addMembership), await change(addMembership), await change(addMembership, bob)], [
      true,
      false,
      true,
    ]);
    assert.equal([await change(removeMembership), await change(removeMembership)], [true, false]);
    assert.equal(
      (await listMembers(db.rows, membership, {})).items.map(({ userId }) => userId),
      [bob.id],
      "the others' are theirs",
    );
  }
});

test("wake the user's streams when they change, and only then", async ({ db, root }) => {
  const federationId = await insertHub(db, root, "waking"), dan = await createTestUser(db, "dan");
  const wakesOf = (what: typeof addMembership) =>
    db.transact(async (tx) => {
      await what(tx, { federationId }, dan.id);
      return [...tx.wakes];
    });
  const woken = [`user:${dan.id}`];
  assert.equal([await wakesOf(addMembership), await wakesOf(addMembership)], [woken, []]);
  assert.equal([await wakesOf(removeMembership), await wakesOf(removeMembership)], [woken, []]);
});

test("are listed with hubs first, in order of time, without removed objects", async ({ db, root }) => {
  const cal = await createTestUser(db, "cal", { verified: false });
  const [north, south] = [await insertHub(db, root, "north"), await insertHub(db, root, "south")];
  const [oak, elm] = [await insertSpoke(db, root, north, "oak"), await insertSpoke(db, root, north, "elm")];
  for (const membership of [{ spokeId: oak }, { spokeId: elm }, { federationId: south }, { federationId: north }]) {
    await db.transact((tx) => addMembership(tx, membership, cal.id));
    await db.sql("update federation_members set created_at = created_at - interval '1 second'");
    await db.sql("update spoke_members set created_at = created_at - interval '1 second'");
  }
  assert.equal(await listAdministeredNames(db.rows, cal.id), ["south", "north", "oak", "elm"]);
  await updateRows(db, "spokes", { state: "removed", removedAt: NOW }, { id: oak });
  await updateRows(db, "federations", { state: "removed", removedAt: NOW }, { id: south });
  assert.equal(await listAdministeredNames(db.rows, cal.id), ["north", "elm"]);
});

test.run();
