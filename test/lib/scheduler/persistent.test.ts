/** Tests kinds that are retried forever, whatever their time limit. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import { isFinalJobState, type Job } from "#lib/jobs/job.ts";
import { DAY, sleep } from "#lib/base/time.ts";
import { action, kind, openScene, type Scene } from "./scene.ts";
import { updateRows } from "#test/support/rows.ts";

const test = suite<{ scene: Scene }>("startRun of a persistent kind");
test.before.each(async (context) => void (context.scene = await openScene()));
test.after.each(({ scene }) => scene.close());

const ended = (job: Job) => isFinalJobState(job.state);

test("keeps retrying after its time limit, with the full timeout of each step.", async ({ scene }) => {
  const hub = await scene.hub(1);
  const removal = kind("removal", ["only"], { persistent: true });
  const [job] = await scene.enqueue(action(removal, hub, 0));
  let free = false;
  await scene.open([{
    kind: removal,
    steps: {
      async only() {
        await sleep(20); // a step without time would be cut off
        if (!free) throw new ClusterError("Busy", "stuck", { transient: true });
      },
    },
  }]);
  const { deadlineAt } = await scene.until(job!.id, ({ failure }) => failure !== null);
  await scene.db.shiftClock(deadlineAt!.getTime() - Date.now() + 3 * DAY);
  const late = await scene.until(job!.id, ({ attempt, updatedAt }) => attempt > 3 && updatedAt > deadlineAt!);
  assert.ok(["queued", "running"].includes(late.state));
  free = true;
  assert.is((await scene.until(job!.id, ended)).state, "succeeded");
  assert.is(late.failure!.code, "Busy");
});

test("retries soon while a cluster is unavailable", async ({ scene }) => {
  const hub = await scene.hub(1);
  const removal = kind("removal", ["only"], { persistent: true });
  const [job] = await scene.enqueue(action(removal, hub, 0));
  await updateRows(scene.db, "jobs", { attempt: 30 });
  await scene.open([{
    kind: removal,
    steps: {
      only() {
        throw new ClusterError("unreachable", "refused", { transient: true });
      },
    },
  }], { retry: { firstMs: 600_000, maxMs: 600_000 } });
  const { runAt, updatedAt } = await scene.until(job!.id, ({ failure }) => failure !== null);
  assert.ok(runAt.getTime() - updatedAt.getTime() <= 10_000);
  const stored = await scene.db.sql("select failure ->> 'code' as code from jobs where id = $1", [job!.id]);
  assert.is(stored[0].code, "unreachable", "estimates read it there");
});

test.run();
