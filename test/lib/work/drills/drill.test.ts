/** What a drill finds out about a backup, in the simulated cluster. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  backUp,
  backupRow,
  type DrillScene,
  ended,
  leftOf,
  night,
  openDrills,
  toldOf,
} from "#test/lib/work/drills/scene.ts";

const test = suite<DrillScene>("a restore drill");

test.before(async (context) => {
  Object.assign(context, await openDrills());
  await context.scene.replica();
});
test.after(({ scene }) => scene.close());

test("proves a backup: the same site, what was counted, and a login page.", async ({ scene, id }) => {
  const { id: backupId, counts } = await backUp(scene, id);
  assert.equal(counts, { before: { courses: 2, users: 5 }, after: { courses: 2, users: 5 } });
  const drill = await ended(scene, await night(scene, id));
  const { proof, provedAt, proofError } = await backupRow(scene, backupId);
  assert.equal([drill.state, proofError], ["succeeded", null]);
  const { seconds, ...found } = proof;
  assert.equal(found, { courses: 2, users: 5, compared: true });
  assert.ok(seconds >= 0 && provedAt);
  assert.equal(await toldOf(scene, id), ["tenant_backup_proved"]);
  assert.equal(leftOf(scene), []);
});

test.run();
