import { suite } from "uvu";
import * as assert from "uvu/assert";
import { addSeat, listAdministeredNames, listSeats, removeSeat } from "#lib/domains/members/seats.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { createTestUser } from "#test/support/users.ts";
import { insertHub, insertSpoke } from "#test/support/insert-rows.ts";

const test = suite<{ db: TestDatabase; root: string }>("seats");

test.before(async (stage) => {
  stage.db = await openTestDatabase();
  stage.root = (await createTestUser(stage.db, "root", { operator: true })).id;
});
test.after(({ db }) => db.close());

test("are taken once and vacated once, in a hub as in a spoke", async ({ db, root }) => {
  const federationId = await insertHub(db, root, "hub"), spokeId = await insertSpoke(db, root, federationId);
  const ada = await createTestUser(db, "ada"), bob = await createTestUser(db, "bob");
  for (const seat of [{ federationId }, { spokeId }]) {
    const change = (what: typeof addSeat, person = ada) => db.transact((tx) => what(tx, seat, person.id));
    assert.equal([await change(addSeat), await change(addSeat), await change(addSeat, bob)], [true, false, true]);
    assert.equal([await change(removeSeat), await change(removeSeat)], [true, false]);
    assert.equal(
      (await listSeats(db.rows, seat, {})).items.map(({ userId }) => userId),
      [bob.id],
      "the others' are theirs",
    );
  }
});

test("wake the streams of whoever they are given to and taken from, and nobody's when nothing changes", async ({ db, root }) => {
  const federationId = await insertHub(db, root, "waking"), dan = await createTestUser(db, "dan");
  const wakesOf = (what: typeof addSeat) =>
    db.transact(async (tx) => {
      await what(tx, { federationId }, dan.id);
      return [...tx.wakes];
    });
  const woken = [`user:${dan.id}`];
  assert.equal([await wakesOf(addSeat), await wakesOf(addSeat)], [woken, []]);
  assert.equal([await wakesOf(removeSeat), await wakesOf(removeSeat)], [woken, []]);
});

test("are named hubs first, as they came, without what is removed", async ({ db, root }) => {
  const cal = await createTestUser(db, "cal", { verified: false });
  const [north, south] = [await insertHub(db, root, "north"), await insertHub(db, root, "south")];
  const [oak, elm] = [await insertSpoke(db, root, north, "oak"), await insertSpoke(db, root, north, "elm")];
  for (const seat of [{ spokeId: oak }, { spokeId: elm }, { federationId: south }, { federationId: north }]) {
    await db.transact((tx) => addSeat(tx, seat, cal.id));
    await db.sql("update federation_members set created_at = created_at - interval '1 second'");
    await db.sql("update spoke_members set created_at = created_at - interval '1 second'");
  }
  assert.equal(await listAdministeredNames(db.rows, cal.id), ["south", "north", "oak", "elm"]);
  await db.sql("update spokes set state = 'removed', removed_at = wheelwright_now() where id = $1", [oak]);
  await db.sql("update federations set state = 'removed', removed_at = wheelwright_now() where id = $1", [south]);
  assert.equal(await listAdministeredNames(db.rows, cal.id), ["north", "elm"]);
});

test.run();
