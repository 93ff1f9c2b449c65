/** Tests the retention of PVCs that a restore replaced. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { requestRestore } from "#lib/domains/backups/restore.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";
import { installSpoke } from "#test/lib/workers/upgrade/scene.ts";
import { rejection } from "#test/support/until.ts";
import { ANN, backUp, deleteDuePvcs, listPvcs, runAction, runRestore, usedPvcs } from "./scene.ts";
import { selectRows, updateRows } from "#test/support/rows.ts";

const test = suite<{ scene: WorkScene; id: string }>("PVCs that a restore replaced");
test.before(async (context) => {
  const scene = context.scene = await openWorkScene();
  await scene.replica();
});
test.before.each(async (context) => {
  const { scene } = context, id = context.id = await installSpoke(scene, `a-${crypto.randomUUID().slice(0, 6)}`);
  await backUp(scene, id);
  await runRestore(scene, id);
});
test.after(({ scene }) => scene.close());

/** Moves the time of the restore into the past. */
async function moveBack(scene: WorkScene, id: string, days: number): Promise<void> {
  const ago = `${days} days`;
  await scene.db.sql(
    "update retained_pvcs set since = since - $2::interval, until = until - $2::interval where spoke_id = $1",
    [id, ago],
  );
}

async function assertRetained(scene: WorkScene, id: string): Promise<void> {
  await deleteDuePvcs(scene);
  const row = await scene.row(id);
  assert.equal(listPvcs(scene, row), [...usedPvcs(row), "data-db-0", "files"].sort());
}

test("are kept for seven days, and until a newer good backup exists", async ({ scene, id }) => {
  await backUp(scene, id);
  await moveBack(scene, id, 6);
  await assertRetained(scene, id);
  await scene.db.sql("update backups set created_at = created_at - interval '30 days' where spoke_id = $1", [id]);
  await moveBack(scene, id, 2);
  await assertRetained(scene, id);
  assert.is((await runRestore(scene, id, { rollback: true })).state, "succeeded", "a rollback is possible until then");
});

test("are deleted afterwards with their rows, and no rollback is possible", async ({ scene, id }) => {
  await backUp(scene, id);
  await moveBack(scene, id, 8);
  await deleteDuePvcs(scene);
  const row = await scene.row(id);
  assert.equal(listPvcs(scene, row), usedPvcs(row));
  assert.equal(await selectRows(scene.db, "retained_pvcs", { spokeId: id }), []);
  const refusal = await rejection(requestRestore(scene.app, ANN, id, { rollback: true }));
  assert.equal([refusal.code, refusal.message], [
    "NoWayBack",
    `The spoke ${row.slug} has nothing to roll back to`,
  ]);
});

test("are kept while the spoke is not active or a restore is queued", async ({ scene, id }) => {
  await backUp(scene, id);
  await moveBack(scene, id, 8);
  await runAction(scene, id, "suspend");
  await assertRetained(scene, id);
  const hang = scene.simulator.faults.answer(503, { method: "GET", path: "/statefulsets/db" });
  await requestRestore(scene.app, ANN, id, { rollback: true });
  await updateRows(scene.db, "spokes", { state: "active" }, { id });
  await assertRetained(scene, id);
  scene.simulator.faults.remove(hang);
  assert.is((await scene.ended(id, "restore")).state, "succeeded");
});

test("are identified by UID: a PVC with the same name is kept", async ({ scene, id }) => {
  await backUp(scene, id);
  await moveBack(scene, id, 8);
  await updateRows(scene.db, "retained_pvcs", { uid: "another" }, { spokeId: id, claim: "files" });
  await deleteDuePvcs(scene);
  const row = await scene.row(id);
  assert.equal(listPvcs(scene, row), [...usedPvcs(row), "files"].sort());
});

test.run();
