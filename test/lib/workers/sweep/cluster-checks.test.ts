/** Tests how the sweep queues its checks of clusters. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SYSTEM_REQUESTER } from "#lib/audit/requester.ts";
import { enqueueJob } from "#lib/jobs/store.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { openScheduler } from "#lib/scheduler/scheduler.ts";
import { clusterCheckHandler, createClusterCheckJob, sweepHandler } from "#lib/workers/sweep/sweep.ts";
import { until } from "#test/support/until.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";
import { QUICK } from "./checks.ts";

const test = suite<{ scene: WorkScene }>("the sweep");
test.before(async (context) => void (context.scene = await openWorkScene()));
test.after(({ scene }) => scene.close());

test("queues one check per cluster in use, which a replica runs", async ({ scene }) => {
  const hub = await scene.hub("math");
  const ids = [await scene.spoke(hub, "a"), await scene.spoke(hub, "b"), await scene.spoke(hub, "c")];
  const active = "update spokes set state = 'active', namespace_uid = id, cluster = slug where id = any($1::text[])";
  await scene.db.sql(active, [ids.slice(0, 2)]);
  const plan = sweepHandler(scene.app).steps["clusters"]!, run = { write: (work) => scene.db.transact(work) } as JobRun;
  await plan(run);
  await plan(run);
  await scene.db.transact((tx) => enqueueJob(tx, SYSTEM_REQUESTER, createClusterCheckJob("a")));
  const jobs = await scene.db.sql(
    "select payload->>'cluster' as cluster from jobs where kind = 'check-cluster' order by 1",
  );
  assert.equal(jobs, [{ cluster: "a" }, { cluster: "b" }]);
  const scheduler = await openScheduler(scene.app, { handlers: [clusterCheckHandler(scene.app, QUICK)], lanes: 2 });
  const counts = () => Promise.all(ids.map(async (id) => (await scene.row(id)).failedChecks));
  await until(async () => (await counts()).join() === "1,1,0");
  await scheduler.close();
});

test.run();
