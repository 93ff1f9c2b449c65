/** Tests which runs are stopped when their job's row changes. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { FenceLostError } from "#lib/jobs/fence.ts";
import type { Job } from "#lib/jobs/job.ts";
import { SILENT_LOG } from "#lib/base/log.ts";
import type { RunningJob } from "#lib/scheduler/runner.ts";
import { RunCancelledError } from "#lib/scheduler/stop-reasons.ts";
import { type JobWatch, openJobWatch } from "#lib/scheduler/job-watch.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { until } from "#test/support/until.ts";
import { insertRow, NOW, updateRows } from "#test/support/rows.ts";

interface Context {
  db: TestDatabase;
  running: Map<string, RunningJob>;
  watch: JobWatch;
  stopped: [fence: string, reason: unknown][];
}

const test = suite<Context>("openJobWatch");
test.before.each(async (context) => {
  context.db = await openTestDatabase();
  await insertRow(context.db, "replicas", { id: "rep_1", release: "x" });
  await insertRow(context.db, "jobs", {
    id: "op_1",
    kind: "suspend",
    visible: true,
    fence: 1,
    timeLimitMs: 1000,
    plan: 1,
    stepNames: "{stop}",
    label: "Waiting",
    payload: "{}",
    requesterId: "u",
    requesterEmail: "e",
    requesterIp: "",
    requesterAgent: "",
  });
  context.running = new Map();
  context.stopped = [];
  context.watch = openJobWatch({ db: context.db, log: SILENT_LOG, running: context.running });
});
test.after.each(async ({ db, watch }) => {
  watch.close();
  await db.close();
});

function begin({ running, stopped }: Context, fence: string): void {
  const job = { id: "op_1", fence } as Job;
  const stop = (reason: Error) => void stopped.push([fence, reason]);
  running.set("op_1", { job, ended: Promise.resolve(), stop, stopAfterStep() {} });
}

test("stops the run of a job that was cancelled or no longer runs", async (context) => {
  const { db, stopped, watch } = context;
  begin(context, "1");
  watch.follow("op_1");
  await until(() => stopped.length > 0);
  assert.instance(stopped[0]![1], FenceLostError);
  await updateRows(db, "jobs", { state: "running", holder: "rep_1", cancelRequestedAt: NOW });
  watch.follow("op_1");
  await until(() => stopped.length > 1);
  assert.instance(stopped[1]![1], RunCancelledError);
});

test("does not stop a job that was requeued and claimed again before the poll returned", async (context) => {
  const { stopped, watch } = context;
  begin(context, "1");
  watch.follow("op_1");
  begin(context, "2"); // the current poll finds it queued
  await until(() => stopped.length > 0);
  assert.equal(stopped.map(([fence]) => fence), ["1"]);
});

test.run();
