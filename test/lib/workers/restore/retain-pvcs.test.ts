/** Tests what happens to replaced volumes after the days of their retention. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { requestRestore } from "#lib/domains/backups/restore.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";
import { installSpoke } from "#test/lib/workers/upgrade/scene.ts";
import { rejection } from "#test/support/until.ts";
import { ANN, ask, backUp, claims, dropClaims, restoreTo, usedBy } from "./scene.ts";

const test = suite<{ scene: WorkScene; id: string }>("volumes that a restore has replaced");
test.before(async (context) => {
  const scene = context.scene = await openWorkScene();
  await scene.replica();
});
test.before.each(async (context) => {
  const { scene } = context, id = context.id = await installSpoke(scene, `a-${crypto.randomUUID().slice(0, 6)}`);
  await backUp(scene, id);
  await restoreTo(scene, id);
});
test.after(({ scene }) => scene.close());

/** Moves the restore back by these days. */
async function pass(scene: WorkScene, id: string, days: number): Promise<void> {
  const ago = `${days} days`;
  await scene.db.sql(
    "update retained_pvcs set since = since - $2::interval, until = until - $2::interval where spoke_id = $1",
    [id, ago],
  );
}

async function keeps(scene: WorkScene, id: string): Promise<void> {
  await dropClaims(scene);
  const row = await scene.row(id);
  assert.equal(claims(scene, row), [...usedBy(row), "data-db-0", "files"].sort());
}

test("stay for seven days, and until a good backup was taken since", async ({ scene, id }) => {
  await backUp(scene, id);
  await pass(scene, id, 6);
  await keeps(scene, id);
  await scene.db.sql("update backups set created_at = created_at - interval '30 days' where spoke_id = $1", [id]);
  await pass(scene, id, 2);
  await keeps(scene, id);
  assert.is((await restoreTo(scene, id, { rollback: true })).state, "succeeded", "they are the way back until then");
});

test("go then, with their rows, and with them the way back", async ({ scene, id }) => {
  await backUp(scene, id);
  await pass(scene, id, 8);
  await dropClaims(scene);
  const row = await scene.row(id);
  assert.equal(claims(scene, row), usedBy(row));
  assert.equal(await scene.db.sql("select * from retained_pvcs where spoke_id = $1", [id]), []);
  const refusal = await rejection(requestRestore(scene.app, ANN, id, { rollback: true }));
  assert.equal([refusal.code, refusal.message], [
    "NoWayBack",
    `The spoke ${row.slug} has nothing to roll back to`,
  ]);
});

test("stay while the spoke is not active, or is to be restored", async ({ scene, id }) => {
  await backUp(scene, id);
  await pass(scene, id, 8);
  await ask(scene, id, "suspend");
  await keeps(scene, id);
  const hang = scene.simulator.faults.answer(503, { method: "GET", path: "/statefulsets/db" });
  await requestRestore(scene.app, ANN, id, { rollback: true });
  await scene.db.sql("update spokes set state = 'active' where id = $1", [id]);
  await keeps(scene, id);
  scene.simulator.faults.remove(hang);
  assert.is((await scene.ended(id, "restore")).state, "succeeded");
});

test("are told by their uids: another one of that name stays", async ({ scene, id }) => {
  await backUp(scene, id);
  await pass(scene, id, 8);
  await scene.db.sql("update retained_pvcs set uid = 'another' where spoke_id = $1 and claim = 'files'", [id]);
  await dropClaims(scene);
  const row = await scene.row(id);
  assert.equal(claims(scene, row), [...usedBy(row), "files"].sort());
});

test.run();
