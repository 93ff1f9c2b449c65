/** Tests that lanes without a ready-lane row are marked as ready again. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { listSupportedJobKinds } from "#lib/jobs/claim.ts";
import type { NewJob } from "#lib/jobs/job.ts";
import { markMissedLanes, pollJobQueue } from "#lib/jobs/poll.ts";
import { kind, openScene, type Scene } from "#test/lib/scheduler/scene.ts";
import { deleteRows, insertRow } from "#test/support/rows.ts";

const test = suite<{ scene: Scene }>("markMissedLanes");
test.before.each(async (context) => {
  context.scene = await openScene();
  await insertRow(context.scene.db, "replicas", { id: "r", release: "x" });
});
test.after.each(({ scene }) => scene.close());

const quiet = kind("quiet", ["one"], { visible: false });
const quietIn = (lane: string): NewJob => ({ kind: quiet, lane, federationId: null, spokeId: null });

async function pollLanes({ db }: Scene): Promise<string[]> {
  const result = await pollJobQueue(db.rows, {
    supported: listSupportedJobKinds([quiet], [quiet]),
    holder: "r",
    limit: 10,
  });
  return result.started.map(({ id }) => id);
}

test("marks a lane without a ready-lane row as ready, and no other", async ({ scene }) => {
  const [lost] = await scene.enqueue(...["a", "b"].map(quietIn), { ...quietIn("c"), kind: kind("odd", ["one"]) });
  await scene.db.sql("update jobs set run_at = run_at + interval '1 hour' where lane = 'b'");
  await deleteRows(scene.db, "ready_lanes");
  assert.equal(await pollLanes(scene), []);
  const markMissed = async () => (await markMissedLanes(scene.db.rows, listSupportedJobKinds([quiet]), "")).added;
  assert.equal([await markMissed(), await markMissed()], [1, 0]);
  assert.equal(await pollLanes(scene), [lost!.id]);
  assert.is(await markMissed(), 0);
});

test("checks all lanes, a thousand at a time", async ({ scene }) => {
  await scene.enqueue(...Array.from({ length: 1_001 }, (_, n) => quietIn(`lane ${n}`)));
  await deleteRows(scene.db, "ready_lanes");
  const supported = listSupportedJobKinds([quiet]), one = await markMissedLanes(scene.db.rows, supported, "");
  assert.is(one.added, 1_000);
  assert.equal(await markMissedLanes(scene.db.rows, supported, one.last), { added: 1, last: "" });
});

test.run();
