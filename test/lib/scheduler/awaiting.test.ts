/** Tests operations that wait for another one. Polling alone would take an hour. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { describeOperation } from "#lib/jobs/operation.ts";
import { isFinalJobState, type Job } from "#lib/jobs/job.ts";
import { findJob, requestJobCancellation } from "#lib/jobs/store.ts";
import { HOUR } from "#lib/base/time.ts";
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import type { JobHandler } from "#lib/scheduler/handler.ts";
import { OperationAwaited } from "#lib/scheduler/stop-reasons.ts";
import { action, type Hub, install, kind, openScene, type Scene } from "./scene.ts";

const test = suite<{ scene: Scene; hub: Hub }>("an operation that waits for another");
test.before.each(async (context) => {
  context.scene = await openScene();
  context.hub = await context.scene.hub(3);
});
test.after.each(({ scene }) => scene.close());

const RETRY = { firstMs: HOUR, maxMs: HOUR };
const WORDS = "Waiting until the other one is done";
const other = kind("other", ["only"]), waiting = kind("waiting", ["before", "need"]), work = kind("work", ["only"]);
const ended = (job: Job) => isFinalJobState(job.state);
const waits = (job: Job) => job.label === WORDS && job.state === "queued";

/** Opens two handlers: one that runs until the test ends it, and one that waits for it. */
async function open({ scene, hub }: { scene: Scene; hub: Hub }) {
  const end = Promise.withResolvers<void>(), attempts: string[] = [];
  const [first] = await scene.enqueue(action(other, hub, 0));
  const handlers: readonly JobHandler[] = [
    { kind: other, steps: { only: () => end.promise } },
    {
      kind: waiting,
      steps: {
        before() {
          attempts.push("before");
          return Promise.resolve();
        },
        async need() {
          attempts.push("need");
          const { state } = (await findJob(scene.db.rows, first!.id))!;
          if (!isFinalJobState(state)) throw new OperationAwaited(WORDS, first!.id);
        },
      },
    },
    { kind: work, steps: { only: () => Promise.resolve() } },
  ];
  await scene.open(handlers, { retry: RETRY });
  const [job, behind] = await scene.enqueue(install(waiting, hub, 1), install(work, hub, 2));
  return { end, tries: attempts, first: first!, job: job!, behind: behind! };
}

test("frees its lane, and resumes after the other's success with its steps and full time limit", async (context) => {
  const { scene } = context, { end, tries: attempts, first, job, behind } = await open(context);
  const put = await scene.until(job.id, waits);
  assert.equal([put.attempt, put.deadlineAt, put.failure, put.finishedSteps], [0, null, null, ["before"]]);
  assert.is((await scene.until(behind.id, ended)).state, "succeeded");
  const { waitingFor, nextAttemptAt } = await describeOperation(scene.db.rows, put);
  assert.equal([waitingFor?.id, nextAttemptAt], [first.id, null]);
  end.resolve();
  const done = await scene.until(job.id, ended);
  assert.equal([done.state, done.attempt, attempts], ["succeeded", 1, ["before", "need", "need"]]);
  assert.ok(
    done.deadlineAt!.getTime() >= (await scene.until(first.id, ended)).finishedAt!.getTime() + waiting.timeLimit,
  );
});

test("resumes after the other operation fails", async (context) => {
  const { scene } = context, { end, job } = await open(context);
  await scene.until(job.id, waits);
  end.reject(new ClusterError("Broken", "It is broken", { transient: false }));
  assert.is((await scene.until(job.id, ended)).state, "succeeded");
});

test("resumes after the other operation is cancelled before it starts", async (context) => {
  const { scene, hub } = context, held = Promise.withResolvers<void>();
  const hold: JobHandler = { kind: kind("hold", ["only"]), steps: { only: () => held.promise } };
  const [ahead] = await scene.enqueue(action(hold.kind, hub, 0));
  await scene.open([hold]);
  await scene.until(ahead!.id, ({ state }) => state === "running");
  const { job, first } = await open(context);
  await scene.until(job.id, waits);
  assert.is((await scene.db.transact((tx) => requestJobCancellation(tx, first.id)))!.state, "cancelled");
  assert.is((await scene.until(job.id, ended)).state, "succeeded");
  held.resolve();
});

test("resumes immediately if the other operation ended before the requeue", async ({ scene, hub }) => {
  const [first] = await scene.enqueue(action(other, hub, 0));
  let attempts = 0;
  const late: JobHandler = {
    kind: work,
    steps: {
      async only() {
        if (++attempts > 1) return;
        await scene.db.transact((tx) => requestJobCancellation(tx, first!.id));
        throw new OperationAwaited(WORDS, first!.id);
      },
    },
  };
  await scene.open([late], { retry: RETRY });
  const [job] = await scene.enqueue(install(work, hub, 1));
  assert.is((await scene.until(job!.id, ended)).state, "succeeded");
});

test.run();
