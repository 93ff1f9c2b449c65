import { suite } from "uvu";
import * as assert from "uvu/assert";
import { requestBulkAction } from "#lib/domains/spokes/bulk.ts";
import { checkAndEnqueueAction } from "#lib/domains/spokes/actions.ts";
import type { BulkOutcome } from "#lib/domains/spokes/views.ts";
import type { Job } from "#lib/jobs/job.ts";
import { cancelSpokeOperations, findJob } from "#lib/jobs/store.ts";
import { describeOperations } from "#lib/jobs/operation.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";
import { selectRows } from "#test/support/rows.ts";
import { until } from "#test/support/until.ts";

const test = suite<{ scene: WorkScene; ids: string[] }>("turns of a bulk action");
const SLUGS = ["ash", "birch", "cedar", "elm", "fir", "gum"], LIMIT = 2;

test.before(async (context) => {
  const scene = context.scene = await openWorkScene(5, { CLUSTER_DISRUPTIONS: String(LIMIT) });
  const hub = await scene.hub("north");
  context.ids = [];
  for (const slug of SLUGS) context.ids.push(await scene.spoke(hub, slug));
  await scene.replica();
  for (const id of context.ids) await scene.becomes(id, "active");
});
test.after(({ scene }) => scene.close());
test.after.each(async ({ scene }) => assert.equal(await selectRows(scene.db, "turns", {}), []));

const restart = ({ app, actor }: WorkScene, ids: string[]): Promise<BulkOutcome[]> =>
  requestBulkAction(app, actor, { action: "restart", ids } as never);

/** Returns the operations of these spokes that are not older than the first given time, once all have ended. */
async function endedSince({ db }: WorkScene, since: Date): Promise<Job[]> {
  return await until(async () => {
    const jobs = await selectRows(db, "jobs", { visible: true }, { orderBy: "seq" }) as unknown as Job[];
    const own = jobs.filter(({ createdAt }) => createdAt >= since);
    return own.every(({ finishedAt }) => finishedAt !== null) && own;
  });
}

/** Returns the largest number of operations that were started and not finished at the same time. */
function countAtOnce(jobs: readonly Job[]): number {
  const started = jobs.filter(({ startedAt }) => startedAt !== null);
  return Math.max(
    ...started.map(({ startedAt: at }) =>
      started.filter(({ startedAt, finishedAt }) => startedAt! <= at! && at! < finishedAt!).length
    ),
  );
}

test("at most so many sites of a cluster are changed at once", async ({ scene, ids }) => {
  const since = await scene.db.now();
  await scene.replica(); // two replicas compete for the turns
  assert.ok((await restart(scene, ids)).every(({ accepted }) => accepted));
  const jobs = await endedSince(scene, since);
  assert.equal(jobs.map(({ state }) => state), SLUGS.map(() => "succeeded"));
  assert.is(countAtOnce(jobs), LIMIT);
});

test("an operation says that it waits for its turn, and later operations on the spoke wait behind it", async ({ scene, ids }) => {
  await scene.stopReplicas();
  const since = await scene.db.now(), last = ids.at(-1)!;
  await restart(scene, ids);
  await scene.db.transact((tx) =>
    checkAndEnqueueAction(scene.app, tx, scene.actor, last, { action: "suspend", parameters: {} })
  );
  const [queued, suspension] = (await selectRows(scene.db, "jobs", { spokeId: last, state: "queued" }, {
    orderBy: "seq",
  })) as unknown as [Job, Job];
  const [view] = await describeOperations(scene.db.rows, [(await findJob(scene.db.rows, queued.id))!]);
  assert.match(view!.label, /^Waiting for its turn/);
  assert.is(view!.etaSeconds, null);
  assert.is(view!.waitingFor?.spokeId, ids[0]);
  await scene.replica();
  const jobs = await endedSince(scene, since), order = jobs.filter(({ spokeId }) => spokeId === last);
  assert.equal(order.map(({ kind, state }) => [kind, state]), [["restart", "succeeded"], ["suspend", "succeeded"]]);
  assert.ok(order[0]!.finishedAt! <= order[1]!.startedAt!);
  assert.is(order[1]!.id, suspension.id);
  await scene.db.transact((tx) =>
    checkAndEnqueueAction(scene.app, tx, scene.actor, last, { action: "resume", parameters: {} })
  );
  await scene.becomes(last, "active");
});

test("a cancelled operation passes its turn on", async ({ scene, ids }) => {
  await scene.stopReplicas();
  const since = await scene.db.now();
  await restart(scene, ids);
  for (const id of ids.slice(0, 3)) await scene.db.transact((tx) => cancelSpokeOperations(tx, id));
  await scene.replica();
  const ended = await endedSince(scene, since);
  assert.equal(ended.map(({ state }) => state), [
    ...["cancelled", "cancelled", "cancelled", "succeeded", "succeeded", "succeeded"],
  ]);
});

test("a smaller bulk action needs no turn", async ({ scene, ids }) => {
  await scene.stopReplicas();
  const since = await scene.db.now();
  await restart(scene, ids.slice(0, LIMIT));
  assert.equal(await selectRows(scene.db, "turns", {}), []);
  await scene.replica();
  await endedSince(scene, since);
});

test.run();
