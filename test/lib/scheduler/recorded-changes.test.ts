/** Tests the audit and stream events that the scheduler records for jobs. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import { isFinalJobState, type Job } from "#lib/jobs/job.ts";
import { requestJobCancellation } from "#lib/jobs/store.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { StepYielded } from "#lib/scheduler/stop-reasons.ts";
import { MINUTE } from "#lib/base/time.ts";
import { type RecordedTelemetry, recordTelemetry } from "#test/support/recorded-telemetry.ts";
import { until } from "#test/support/until.ts";
import { action, type Hub, kind, loose, openScene, type Scene } from "./scene.ts";

const test = suite<{ scene: Scene; hub: Hub; heard: RecordedTelemetry }>("telemetry of jobs");
test.before.each(async (context) => {
  context.scene = await openScene();
  context.hub = await context.scene.hub(1);
  context.heard = recordTelemetry();
});
test.after.each(({ scene }) => scene.close());

const ended = (job: Job) => isFinalJobState(job.state);
const work = kind("work", ["first", "second"]);

/** Runs an operation and returns what was recorded until it ended. */
async function runAndReadJobs(
  { scene, hub, heard }: { scene: Scene; hub: Hub; heard: RecordedTelemetry },
  second: (run: JobRun) => Promise<void>,
) {
  const { telemetry, spans, notes } = heard;
  await scene.open([{ kind: work, steps: { first: () => Promise.resolve(), second } }], { telemetry });
  const [job] = await scene.enqueue(action(work, hub, 0));
  await scene.until(job!.id, ended);
  await until(() => notes.length === 1);
  await until(() => spans.some(({ kind, outcome }) => kind === "job" && outcome !== "queued"));
  const records = (wanted: string) => spans.filter(({ kind }) => kind === wanted);
  return {
    job: job!,
    steps: records("step").map(({ labels, outcome }) => [(labels as { step: string }).step, outcome]),
    jobs: records("job").map(({ labels, outcome }) => [(labels as { kind: string }).kind, outcome]),
  };
}

test("records a successful operation and its steps by kind, with IDs as details", async (context) => {
  const { job, steps, jobs } = await runAndReadJobs(context, () => Promise.resolve());
  assert.equal(steps, [["first", "succeeded"], ["second", "succeeded"]]);
  assert.equal(jobs, [["work", "succeeded"]]);
  const { spans, notes } = context.heard;
  const run = spans.find(({ kind }) => kind === "job")!;
  assert.equal([run.labels, run.details.operation], [{ kind: "work" }, job.id]);
  assert.equal([notes[0]!.kind, notes[0]!.labels], ["operation", { kind: "work", outcome: "succeeded" }]);
});

test("measures an operation from its request to its end", async (context) => {
  const { scene, hub, heard: { telemetry, notes } } = context;
  const [job] = await scene.enqueue(action(work, hub, 0));
  await scene.db.shiftClock(5 * MINUTE);
  const steps = { first: () => Promise.resolve(), second: () => Promise.resolve() };
  await scene.open([{ kind: work, steps }], { telemetry });
  await scene.until(job!.id, ended);
  await until(() => notes.length === 1);
  const { seconds } = notes[0]!;
  assert.ok(seconds! >= 300 && seconds! < 360, String(seconds));
});

test("records failed, retried and yielding steps", async (context) => {
  let attempts = 0;
  const { steps, jobs } = await runAndReadJobs(context, () => {
    if (++attempts === 1) return Promise.reject(new ClusterError("away", "It is away", { transient: true }));
    return attempts === 2 ? Promise.reject(new StepYielded("Waiting", 1)) : Promise.resolve();
  });
  assert.equal(steps, [["first", "succeeded"], ["second", "failed"], ["second", "interrupted"], [
    "second",
    "succeeded",
  ]]);
  assert.equal(jobs, [["work", "queued"], ["work", "queued"], ["work", "succeeded"]]);
});

test("records a failed operation", async (context) => {
  const fatal = new ClusterError("no", "It will never work", { transient: false });
  const { steps, jobs } = await runAndReadJobs(context, () => Promise.reject(fatal));
  assert.equal([steps.at(-1), jobs], [["second", "failed"], [["work", "failed"]]]);
  assert.equal(context.heard.notes[0]!.labels, { kind: "work", outcome: "failed" });
});

test("records a cancelled operation as not failed", async (context) => {
  const { scene } = context;
  const { steps, jobs } = await runAndReadJobs(context, async ({ job, signal }) => {
    await scene.db.transact((tx) => requestJobCancellation(tx, job.id));
    await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  });
  assert.equal([steps.at(-1), jobs], [["second", "interrupted"], [["work", "cancelled"]]]);
  assert.equal(context.heard.notes[0]!.labels, { kind: "work", outcome: "cancelled" });
});

test("records a lost run after a takeover", async ({ scene, hub, heard: { telemetry, spans, notes } }) => {
  const second = async ({ job, signal }: JobRun) => {
    await scene.db.sql("update jobs set fence = nextval('job_fences') where id = $1", [job.id]);
    await scene.db.transact((tx) => Promise.resolve(tx.wakes.add(`job:${job.id}`)));
    await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  };
  await scene.open([{ kind: work, steps: { first: () => Promise.resolve(), second } }], { telemetry });
  await scene.enqueue(action(work, hub, 0));
  const run = await until(() => spans.find(({ kind, outcome }) => kind === "job" && outcome !== undefined));
  assert.equal([run.outcome, notes], ["lost", []]);
});

test("records a takeover from a dead replica", async ({ scene, hub, heard: { telemetry, notes } }) => {
  await scene.enqueue(action(work, hub, 0));
  await scene.db.sql(
    "insert into replicas (id, release, heartbeat_at) values ('dead', 'x', now() - interval '5 seconds')",
  );
  await scene.db.sql(`update jobs set state = 'running', holder = 'dead', fence = nextval('job_fences'), attempt = 1,
    started_at = now(), deadline_at = now() + interval '1 hour'`);
  const steps = { first: () => Promise.resolve(), second: () => Promise.resolve() };
  await scene.open([{ kind: work, steps }], { telemetry });
  await until(() => notes.length === 2);
  assert.equal(notes.map(({ kind }) => kind), ["takeover", "operation"]);
});

test("records a hidden job as a run, not as an operation", async ({ scene, heard: { telemetry, spans, notes } }) => {
  const unseen = kind("unseen", ["only"], { visible: false });
  await scene.open([{ kind: unseen, steps: { only: () => Promise.resolve() } }], { telemetry });
  await scene.enqueue(loose(unseen));
  const run = await until(() => spans.find(({ kind }) => kind === "job"));
  assert.equal([run.outcome, notes], ["succeeded", []]);
});

test.run();
