import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Refusal } from "#lib/base/refusals.ts";
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import type { FailureReport, Job } from "#lib/jobs/job.ts";
import { addFailureEvidence, analyzeFailure, buildFinalReport, retryDelay } from "#lib/scheduler/reports.ts";
import { StepTimeoutError } from "#lib/scheduler/stop-reasons.ts";
import { SECOND } from "#lib/base/time.ts";
import { kind } from "./scene.ts";

const test = suite("judge");

const events = [{ at: "2026-11-21T00:00:00.000Z", object: "Pod/x", reason: "Failed", message: "token=abc", count: 1 }];
const log = ["DB_PASS=abc", "\u0000nul"];

test("removes secrets and unstorable characters from a report", () => {
  const error = new ClusterError("Odd", "it said password=abc\u0000", { transient: false, evidence: { log, events } });
  const { report } = analyzeFailure(error, "install");
  assert.equal([report.message, report.log, report.events[0]!.message], [
    "it said password=***",
    ["DB_PASS=***", "nul"],
    "token=***",
  ]);
});

test("removes them from evidence that was collected afterwards", () => {
  const { report } = analyzeFailure(new ClusterError("Odd", "x", { transient: false }), "install");
  const full = addFailureEvidence(report, { log, events });
  assert.equal([full.log[0], full.events[0]!.message], ["DB_PASS=***", "token=***"]);
});

test("shortens a long message", () => {
  const { report } = analyzeFailure(new ClusterError("Odd", "y".repeat(100_000), { transient: false }), "install");
  assert.is(report.message.length, 2000);
});

test("reports no details of an internal error", () => {
  const { report, nature } = analyzeFailure(new TypeError("x is undefined at /srv/lib"), "install");
  assert.equal([nature, report.code, report.fault], ["bug", "internal", "operator"]);
  assert.not.match(report.message, "srv");
});

test("reports a refusal with its code, sentence and hint, and does not retry it", () => {
  const refused = new Refusal("NoWayBack", "The volumes no longer exist", "Choose a backup.");
  const { report, nature } = analyzeFailure(refused, "prepare");
  assert.equal([nature, report], ["permanent", {
    ...{ step: "prepare", code: "NoWayBack", fault: "operator", message: "The volumes no longer exist" },
    ...{ hint: "Choose a backup.", log: [], events: [] },
  }]);
});

const job = (attempt: number, failure: Partial<FailureReport> | null = null) =>
  ({ attempt, failure, startedAt: new Date("2026-11-21T10:03:04Z"), createdAt: new Date(0) }) as Job;
const passing = analyzeFailure(new ClusterError("unreachable", "GET c/x: refused", { transient: true }), "app");

test("states the number of attempts and the start time in the final report", () => {
  const { message, code } = buildFinalReport(passing, job(7));
  assert.equal([code, message], [
    "unreachable",
    "Gave up after 7 attempts since 2026-11-21 10:03 UTC: The cluster cannot be reached: GET c/x: refused",
  ]);
});

test("retries within ten seconds while a cluster is unavailable", () => {
  const away = (code: string, status = 0) =>
    analyzeFailure(new ClusterError(code, "x", { transient: true, status }), "app").clusterUnavailable;
  assert.equal([away("unreachable"), away("TooManyRequests", 429), away("ServiceUnavailable", 503)], [
    true,
    true,
    true,
  ]);
  assert.equal([away("Conflict", 409), away("InternalError", 500)], [false, false]);
  for (const persistent of [false, true]) {
    const removal = { kind: kind("removal", ["only"], { persistent }) };
    assert.ok(retryDelay(removal, { attempt: 30 }, undefined) > 10 * SECOND);
    for (let time = 0; time < 50; time++) {
      assert.ok(retryDelay(removal, { attempt: 30 }, undefined, true) <= 10 * SECOND);
    }
  }
});

test("does not change the report of a first attempt or a permanent failure", () => {
  assert.is(buildFinalReport(passing, job(1)).message, passing.report.message);
  const final = analyzeFailure(new ClusterError("Odd", "no", { transient: false }), "app");
  assert.is(buildFinalReport(final, job(7)).message, "no");
});

test("uses the previous reason if the last attempt timed out in the same step", () => {
  const cut = analyzeFailure(new StepTimeoutError("Starting Moodle", 100), "app");
  const before = { ...passing.report, hint: "Do." };
  const { code, hint, message } = buildFinalReport(cut, job(3, before));
  assert.equal([code, hint], ["unreachable", "Do."]);
  assert.match(message, /^Gave up after 3 attempts .*: The cluster cannot be reached: GET c\/x: refused$/);
  assert.is(buildFinalReport(cut, job(3, { ...before, step: "database" })).code, "deadline");
});

test.run();
