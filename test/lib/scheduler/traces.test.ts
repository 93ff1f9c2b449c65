/** Tests that one trace covers a job on all replicas, and the jobs that it enqueues. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { getCurrentContext, runInContext } from "#lib/base/work-context.ts";
import { formatTrace, startSpanContext } from "#lib/base/trace.ts";
import { createJobTrace, isFinalJobState, type Job } from "#lib/jobs/job.ts";
import { enqueueJob } from "#lib/jobs/store.ts";
import { MINUTE } from "#lib/base/time.ts";
import { action, kind, loose, openScene, type Scene } from "./scene.ts";

const test = suite<{ scene: Scene }>("the trace of a job");
test.before.each(async (context) => void (context.scene = await openScene()));
test.after.each(({ scene }) => scene.close());

const ended = (job: Job) => isFinalJobState(job.state);
const request = startSpanContext(
  { traceId: "a".repeat(32), spanId: "b".repeat(16), sampled: true, state: "x=1" },
  () => true,
);
const ask = <T>(work: () => Promise<T>) => runInContext({ rootSpan: request, logFields: { requestId: "req_1" } }, work);
const work = kind("work", ["only"]);

test("belongs to the trace of its request, with its steps as children", async ({ scene }) => {
  const hub = await scene.hub(1), seen: unknown[] = [];
  const [job] = await ask(() => scene.enqueue(action(work, hub, 0)));
  assert.is(job!.trace, formatTrace(request));
  await scene.open([{ kind: work, steps: { only: () => Promise.resolve(void seen.push(getCurrentContext())) } }]);
  await scene.until(job!.id, ended);
  const place = createJobTrace(job!, () => true);
  assert.equal([place.traceId, place.parentId, place.state], [request.traceId, request.spanId, "x=1"]);
  assert.equal(seen, [{ rootSpan: { ...place, sampled: true }, span: place, logFields: { operation: job!.id } }]);
});

test("continues in the jobs that the job enqueues", async ({ scene }) => {
  const hub = await scene.hub(1), next = kind("next", ["only"], { visible: false });
  let requested: Job | null = null;
  const only = async () => void (requested = await scene.db.transact((tx) => enqueueJob(tx, scene.asker, loose(next))));
  const [job] = await ask(() => scene.enqueue(action(work, hub, 0)));
  await scene.open([{ kind: work, steps: { only } }]);
  await scene.until(job!.id, ended);
  assert.is(requested!.trace, formatTrace(createJobTrace(job!, () => true)));
});

test("starts a new trace for background and repeated jobs", async ({ scene }) => {
  const repeated = kind("repeated", ["only"], { visible: false, repeatEvery: MINUTE });
  const [job] = await ask(() => scene.enqueue(loose(repeated)));
  const [other] = await scene.enqueue(loose(work));
  assert.equal([job!.trace, other!.trace], [null, null]);
  const place = createJobTrace(job!, () => true);
  assert.match(place.traceId, /^[0-9a-f]{32}$/);
  assert.equal([place.parentId, createJobTrace(job!, () => true)], [null, place], "each holder finds the same");
  assert.is.not(createJobTrace(other!, () => true).traceId, place.traceId);
});

test("does not join the trace of a request that only woke the scheduler", async ({ scene }) => {
  const hub = await scene.hub(1), seen: unknown[] = [];
  await scene.open([{
    kind: work,
    steps: { only: () => Promise.resolve(void seen.push(getCurrentContext()!.logFields)) },
  }]);
  const [job] = await scene.enqueue(action(work, hub, 0));
  await scene.until(job!.id, ended);
  const woken: unknown[] = [], leave = scene.db.wakeups.subscribe("jobs", () => woken.push(getCurrentContext()));
  await ask(() => scene.db.transact((tx) => Promise.resolve(tx.wakes.add("jobs"))));
  leave();
  assert.ok(
    woken.length > 0 && woken.every((cause) => cause === null),
    "the scheduler looks for work for nobody's sake",
  );
  const [later] = await scene.enqueue(action(work, hub, 0));
  await scene.until(later!.id, ended);
  assert.equal(seen, [{ operation: job!.id }, { operation: later!.id }]);
});

test("starts a new trace if the stored one is invalid", async ({ scene }) => {
  const [job] = await scene.enqueue(loose(work));
  const place = createJobTrace({ id: job!.id, trace: "rubbish" }, () => true);
  assert.equal(place, createJobTrace({ id: job!.id, trace: null }, () => true));
});

test.run();
