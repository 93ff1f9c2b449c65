import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import { isFinalJobState, type Job } from "#lib/jobs/job.ts";
import { requestJobCancellation } from "#lib/jobs/store.ts";
import type { JobHandler, JobRun } from "#lib/scheduler/handler.ts";
import { until } from "#test/support/until.ts";
import { action, install, kind, openScene, type Scene } from "./scene.ts";
import { selectRows } from "#test/support/rows.ts";

const test = suite<{ scene: Scene }>("startRun");
test.before.each(async (context) => void (context.scene = await openScene()));
test.after.each(({ scene }) => scene.close());

const ended = (job: Job) => isFinalJobState(job.state);

test("runs the steps in order and records each", async ({ scene }) => {
  const hub = await scene.hub(1);
  const done: string[] = [];
  const two = kind("two", ["first", "second"]);
  const step = (run: JobRun) => void done.push(run.job.finishedSteps.join() || "none");
  const [job] = await scene.enqueue(install(two, hub, 0));
  await scene.open([{ kind: two, steps: { first: async (run) => step(run), second: async (run) => step(run) } }]);
  const after = await scene.until(job!.id, ended);
  assert.equal([after.state, after.finishedSteps, after.attempt, after.label], [
    "succeeded",
    ["first", "second"],
    1,
    "Done",
  ]);
  assert.equal(done, ["none", "first"]);
  const events = await scene.db.sql(
    "select number::int, data->'operation' as operation from stream_events order by number",
  );
  assert.equal(events.map(({ number, operation }) => [number, operation.step, operation.label]), [
    [1, 1, "Doing first"],
    [2, 2, "Doing second"],
    [3, 2, "Done"],
  ]);
});

test("retries a transient failure from the failed step", async ({ scene }) => {
  const hub = await scene.hub(1);
  const runs: string[] = [];
  const flaky = kind("flaky", ["first", "second"]);
  const [job] = await scene.enqueue(action(flaky, hub, 0));
  await scene.open([{
    kind: flaky,
    steps: {
      first: async () => void runs.push("first"),
      async second() {
        runs.push("second");
        if (runs.length < 4) throw new ClusterError("ServerTimeout", "slow down", { transient: true });
      },
    },
  }]);
  const after = await scene.until(job!.id, ended);
  assert.equal([after.state, after.attempt, runs], ["succeeded", 3, ["first", "second", "second", "second"]]);
});

test("fails immediately with the cluster's message after a permanent error", async ({ scene }) => {
  const hub = await scene.hub(1);
  const broken = kind("broken", ["only"]);
  const [job] = await scene.enqueue(action(broken, hub, 0));
  const evidence = { log: ["last line"], events: [] };
  const handler: JobHandler = {
    kind: broken,
    steps: {
      async only() {
        throw new ClusterError("ErrImagePull", "no such image", {
          transient: false,
          blame: "operator",
          hint: "Push it",
          evidence,
        });
      },
    },
    hooks: {
      async onFailed(tx, { spokeId }, report) {
        await tx.updateTable("spokes").set({ state: "failed", stateReason: report.message }).where("id", "=", spokeId!)
          .execute();
        return { state: "failed" };
      },
    },
  };
  await scene.open([handler]);
  const after = await scene.until(job!.id, ended);
  assert.is(after.state, "failed");
  assert.is(after.attempt, 1);
  assert.equal(after.failure, {
    step: "only",
    code: "ErrImagePull",
    fault: "operator",
    message: "no such image",
    hint: "Push it",
    log: ["last line"],
    events: [],
  });
  const [last] = await scene.db.sql("select type, data from stream_events order by number desc limit 1");
  assert.equal([last.type, last.data.error], ["SpokeUpdateFailed", "no such image"]);
});

test("retries an internal error a few times, and shows no details of it", async ({ scene }) => {
  const hub = await scene.hub(1);
  const buggy = kind("buggy", ["only"]);
  const [job] = await scene.enqueue(action(buggy, hub, 0));
  await scene.open([{ kind: buggy, steps: { only: () => Promise.reject(new TypeError("secret of ours")) } }]);
  const after = await scene.until(job!.id, ended);
  assert.equal([after.state, after.attempt, after.failure?.code], ["failed", 3, "internal"]);
  assert.not.match(JSON.stringify(after.failure), "secret");
});

test("fails at the end of the time limit", async ({ scene }) => {
  const hub = await scene.hub(1);
  const late = kind("late", ["only"], { timeLimit: 2000 });
  const [job] = await scene.enqueue(action(late, hub, 0));
  const refuse = () => Promise.reject(new ClusterError("Throttled", "later", { transient: true }));
  await scene.open([{ kind: late, steps: { only: refuse } }]);
  const after = await scene.until(job!.id, ended);
  assert.ok(after.attempt > 1);
  assert.is(after.state, "failed");
  assert.match(after.failure!.message, new RegExp(`^Gave up after ${after.attempt} attempts since .* UTC: later$`));
});

test("stops a step at its timeout, and retries", async ({ scene }) => {
  const hub = await scene.hub(1);
  const stuck = kind("stuck", ["only"]);
  const short = { ...stuck, steps: stuck.steps.map((step) => ({ ...step, timeout: 30 })) };
  const [job] = await scene.enqueue(action(short, hub, 0));
  let attempts = 0;
  const stopped: unknown[] = [];
  await scene.open([{
    kind: short,
    steps: {
      async only({ signal }) {
        if (++attempts < 2) await aborted(signal).catch((reason) => stopped.push(reason.name));
      },
    },
  }]);
  assert.is((await scene.until(job!.id, ended)).state, "succeeded");
  assert.equal(stopped, ["StepTimeoutError"]);
});

test("stops and cancels a running operation", async ({ scene }) => {
  const hub = await scene.hub(1);
  const endless = kind("endless", ["only"]);
  const [job] = await scene.enqueue(action(endless, hub, 0));
  await scene.open([{ kind: endless, steps: { only: ({ signal }) => aborted(signal) } }]);
  await scene.until(job!.id, ({ state }) => state === "running");
  await scene.db.transact((tx) => requestJobCancellation(tx, job!.id));
  assert.is((await scene.until(job!.id, ended)).state, "cancelled");
  const [audit] = await selectRows(scene.db, "audit_events", {}, { columns: ["kind", "actorEmail", "objectId"] });
  assert.equal(audit, { kind: "operation_cancelled", actorEmail: "ann@example.org", objectId: job!.id });
});

test("never fails a persistent kind", async ({ scene }) => {
  const hub = await scene.hub(1);
  const removal = kind("removal", ["only"], { persistent: true });
  const [job] = await scene.enqueue(action(removal, hub, 0));
  let attempts = 0;
  await scene.open([{
    kind: removal,
    steps: {
      async only() {
        if (++attempts === 1) throw new ClusterError("Forbidden", "not you", { transient: false });
        if (attempts < 6) throw new TypeError("oops");
      },
    },
  }]);
  const after = await scene.until(job!.id, ended);
  assert.equal([after.state, after.attempt], ["succeeded", 6]);
});

test("writes nothing after another replica took over the job", async ({ scene }) => {
  const hub = await scene.hub(1);
  const stolen = kind("stolen", ["only"]);
  const [job] = await scene.enqueue(action(stolen, hub, 0));
  const outcome = Promise.withResolvers<unknown>();
  await scene.db.sql(
    "insert into replicas (id, release, heartbeat_at) values ('other', 'x', now() + interval '1 day')",
  );
  const handler: JobHandler = {
    kind: stolen,
    steps: {
      async only(run) {
        await scene.db.sql("update jobs set fence = nextval('job_fences'), holder = 'other' where id = $1", [
          run.job.id,
        ]);
        await run.write(async (tx) => {
          await tx.updateTable("spokes").set({ displayName: "changed" }).execute();
        }).then(outcome.resolve, (error) => outcome.resolve(error.name));
        throw new Error("too late to matter");
      },
    },
  };
  await scene.open([handler]);
  assert.is(await outcome.promise, "FenceLostError");
  const [row] = await scene.db.sql("select display_name, (select state from jobs where id = $1) from spokes", [
    job!.id,
  ]);
  assert.equal(row, { displayName: "Spoke", state: "running" });
});

test("rejects calls of a run that has ended", async ({ scene }) => {
  const hub = await scene.hub(1);
  const brief = kind("brief", ["only"]), kept: JobRun[] = [];
  await scene.enqueue(action(brief, hub, 0));
  await scene.open([{ kind: brief, steps: { only: async (run) => void kept.push(run) } }]);
  const refusal = await until(() => kept[0] && refusalOf(kept[0]));
  assert.is(refusal.name, "RunEndedError");
});

function refusalOf(run: JobRun): Error | null {
  try {
    run.throwIfStopped();
    return null;
  } catch (error) {
    return error as Error;
  }
}

test("shows what a step waits for", async ({ scene }) => {
  const hub = await scene.hub(1);
  const waiting = kind("waiting", ["only"]);
  const go = Promise.withResolvers<void>();
  const [job] = await scene.enqueue(action(waiting, hub, 0));
  await scene.open([{
    kind: waiting,
    steps: {
      async only(run) {
        run.showProgress("2 volumes remain");
        await go.promise;
        run.showProgress("nothing more to say");
      },
    },
  }]);
  await scene.until(job!.id, ({ label }) => label === "Doing only: 2 volumes remain");
  go.resolve();
  assert.is((await scene.until(job!.id, ended)).label, "Done");
});

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
}

test.run();
