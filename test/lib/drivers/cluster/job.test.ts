import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import {
  condition,
  endLogs,
  JOB_MANIFEST,
  jobWith,
  nowTimestamp,
  podWith,
  terminatedContainer,
  waitForJobStart,
  waitForSecondRead,
  withStaticCluster,
} from "#test/support/kube/job.ts";
import { NAMESPACE, recordWatch, UID } from "#test/support/kube/static-cluster.ts";

const test = suite("Space.run");

test(
  "returns the log of a successful Job",
  withStaticCluster(async (table) => {
    const { result } = await waitForJobStart(table, "one\n", recordWatch());
    table.logs.get("install-1-abc/moodle")!.text = "one\ntwo\n";
    table.put("pods", podWith(terminatedContainer(0, "Completed")));
    endLogs(table, "two\n");
    table.put("jobs", jobWith({ conditions: [condition("Complete", "CompletionsReached", "done")] }));
    assert.equal(await result, {
      succeeded: true,
      name: "install-1",
      uid: "uid-install-1",
      reason: null,
      message: null,
      exitCode: 0,
      log: ["one", "two"],
      isLogComplete: true,
    });
  }),
);

test(
  "returns the reason, exit code and log of a failed Job",
  withStaticCluster(async (table) => {
    const { result } = await waitForJobStart(table, "oh no\n", recordWatch());
    table.put("pods", podWith(terminatedContainer(3, "Error")));
    endLogs(table);
    const message = "Job has reached the specified backoff limit";
    const conditions = ["FailureTarget", "Failed"].map((type) => condition(type, "BackoffLimitExceeded", message));
    table.put("jobs", jobWith({ conditions }));
    assert.equal(await result, {
      succeeded: false,
      name: "install-1",
      uid: "uid-install-1",
      reason: "BackoffLimitExceeded",
      message,
      exitCode: 3,
      log: ["oh no"],
      isLogComplete: true,
    });
  }),
);

test(
  "waits until the pod of a Job past its deadline has ended, and keeps the log of a deleted pod",
  withStaticCluster(async (table) => {
    const waiting = recordWatch();
    const { result } = await waitForJobStart(table, "last words\n", waiting);
    const message = "Job was active longer than specified deadline";
    const target = condition("FailureTarget", "DeadlineExceeded", message);
    table.put("jobs", jobWith({ conditions: [target] }));
    await waiting.told(/is failing: Job was active longer/);
    endLogs(table);
    table.logs.delete("install-1-abc/moodle");
    table.drop("pods", "install-1-abc");
    const failed = [target, condition("Failed", "DeadlineExceeded", message)];
    let settled = false;
    result.then(() => settled = true);
    table.put("jobs", jobWith({ conditions: failed, terminating: 1 })); // older clusters set Failed earlier
    await waitForSecondRead(table);
    assert.not(settled, "a pod of the Job may still write logs");
    table.put("jobs", jobWith({ conditions: failed }));
    const { succeeded, reason, log, isLogComplete: heard } = await result;
    assert.equal([succeeded, reason, log, heard], [false, "DeadlineExceeded", ["last words"], false]);
  }),
);

test(
  "reports a Job as failed even if its pods do not end in time",
  withStaticCluster(async (table) => {
    const { result } = await waitForJobStart(table, "", recordWatch(1000));
    endLogs(table);
    const target = condition("FailureTarget", "DeadlineExceeded", "Job was active longer than specified deadline");
    table.put("jobs", jobWith({ conditions: [target] }));
    assert.is((await result).reason, "DeadlineExceeded");
  }),
);

test(
  "follows an interrupted log again without duplicate lines",
  withStaticCluster(async (table) => {
    const { result } = await waitForJobStart(table, "one\n", recordWatch());
    const log = table.logs.get("install-1-abc/moodle")!;
    log.text = "one\ntwo\n";
    log.followers.shift()!.socket!.destroy();
    while (log.followers.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    table.logs.set("install-1-abc/moodle", { text: "", followers: [] });
    const failed = [condition("Failed", "DeadlineExceeded", "too long")];
    log.followers[0]!.end("three\n");
    table.drop("pods", "install-1-abc");
    table.logs.clear();
    table.put("jobs", jobWith({ conditions: failed }));
    assert.equal((await result).log, ["one", "two", "three"]);
  }),
);

test(
  "returns the log of a failed init container",
  withStaticCluster(async (table) => {
    table.logs.set("install-1-abc/dirs", { text: "read-only\n", followers: [], ended: true });
    table.put("pods", {
      ...podWith({
        initContainerStatuses: [{
          name: "dirs",
          state: { terminated: { exitCode: 1, reason: "Error", finishedAt: nowTimestamp() } },
        }],
        containerStatuses: [{ name: "moodle", state: { waiting: { reason: "PodInitializing" } } }],
      }),
    });
    table.put("jobs", jobWith({ conditions: [condition("Failed", "BackoffLimitExceeded", "limit")] }));
    const { log, exitCode } = await table.cluster.space(NAMESPACE, UID).follow("install-1", recordWatch());
    assert.equal([log, exitCode], [["read-only"], 1]);
  }),
);

test(
  "follows an existing Job",
  withStaticCluster(async (table) => {
    table.put("jobs", jobWith({ conditions: [condition("Complete", "CompletionsReached", "done")] }));
    assert.ok((await table.cluster.space(NAMESPACE, UID).run(JOB_MANIFEST, recordWatch())).succeeded);
  }),
);

test(
  "fails with the namespace's events if a Job cannot start",
  withStaticCluster(async (table) => {
    const waiting = recordWatch();
    const { result } = await waitForJobStart(table, "", waiting);
    table.put(
      "pods",
      podWith({
        initContainerStatuses: [{
          name: "dirs",
          state: { waiting: { reason: "ImagePullBackOff", message: 'Back-off pulling image "nope:1"' } },
        }],
      }),
    );
    table.put("events", {
      metadata: { name: "e1", creationTimestamp: nowTimestamp() },
      involvedObject: { kind: "Pod", name: "install-1-abc", uid: "uid-pod", fieldPath: "spec.initContainers{dirs}" },
      reason: "Failed",
      message: 'Failed to pull image "nope:1": not found',
      lastTimestamp: nowTimestamp(),
      count: 2,
    });
    const error = await result.then(() => null, (error: ClusterError) => error);
    assert.equal([error?.code, error?.transient, error?.blame], ["ErrImagePull", false, "operator"]);
    assert.match(error!.message, "not found");
    const { object, reason, count } = error!.evidence!.events[0]!;
    assert.equal([object, reason, count], ["Pod/install-1-abc", "Failed", 2]);
  }),
);

test(
  "reports the last log line of a long Job as progress",
  withStaticCluster(async (table) => {
    const waiting = recordWatch();
    const { result } = await waitForJobStart(table, "moodle 12:00 INFO ==> Installing\n------\n", waiting);
    await waiting.told(/^The job install-1 is running$/);
    const early = { ...jobWith({}).metadata, creationTimestamp: new Date(Date.now() - 60_000).toISOString() };
    table.put("jobs", { ...jobWith({}), metadata: early });
    await waiting.told(/^The job install-1 is running; last log line: moodle 12:00 INFO ==> Installing$/);
    table.put("jobs", jobWith({ conditions: [condition("Complete", "CompletionsReached", "done")] }));
    endLogs(table);
    await result;
  }),
);

test(
  "fails if somebody deletes the Job",
  withStaticCluster(async (table) => {
    const waiting = recordWatch();
    const { result } = await waitForJobStart(table, "", waiting);
    await waiting.told(/is running/);
    table.drop("jobs", "install-1");
    const error = await result.then(() => null, (error: ClusterError) => error);
    assert.equal([error?.code, error?.transient], ["NotFound", false]);
  }),
);

test(
  "keeps waiting while the server is unavailable",
  withStaticCluster(async (table) => {
    const waiting = recordWatch();
    const { result } = await waitForJobStart(table, "", waiting);
    let refused = 0;
    table.intercept = (asked, _response, socket) => {
      if (refused >= 5 || asked.query.has("watch")) return false;
      refused++;
      socket.destroy();
      return true;
    };
    table.put("jobs", jobWith({ conditions: [condition("Complete", "CompletionsReached", "done")] }));
    assert.ok((await result).succeeded);
    assert.is(refused, 5);
  }),
);

test(
  "rejects with the abort reason and leaves no connection",
  withStaticCluster(async (table) => {
    const stop = new AbortController(), reason = new Error("stop");
    const { result } = await waitForJobStart(table, "one\n", recordWatch(20_000, stop.signal));
    stop.abort(reason);
    assert.is(await result.then(() => null, (error) => error), reason);
  }),
);

test(
  "times out with the last observed state",
  withStaticCluster(async (table) => {
    const { result } = await waitForJobStart(table, "", recordWatch(1000));
    const error = await result.then(() => null, (error: ClusterError) => error);
    assert.equal([error?.code, error?.transient], ["deadline", true]);
    assert.match(error!.message, /Job install-1 took longer than 1 s; last seen: The job install-1 is running/);
    assert.ok(error!.evidence);
  }),
);

test.run();
