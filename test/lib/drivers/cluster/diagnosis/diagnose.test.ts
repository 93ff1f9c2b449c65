import { suite } from "uvu";
import * as assert from "uvu/assert";
import { diagnoseObject, findJobFailure } from "#lib/drivers/cluster/diagnosis/diagnose.ts";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { MINUTE, SECOND } from "#lib/base/time.ts";
import {
  aboutObject,
  assertImpossible,
  assertWaiting,
  crashedContainer,
  deployment,
  event,
  job,
  pod,
  statefulSet,
  timestampAt,
  waitClockAt,
} from "#test/support/kube/samples.ts";

const test = suite("diagnoseObject");

const QUOTA = 'Error creating: pods "install-1-69vzd" is forbidden: exceeded quota: spoke, ' +
  "requested: limits.memory=1Gi, used: limits.memory=512Mi, limited: limits.memory=1Gi";

test("waits a minute for a quota that other pods use up", () => {
  const events = [event(aboutObject(job()), "FailedCreate", QUOTA, SECOND)];
  assertWaiting(diagnoseObject(job(), [], events, waitClockAt(30 * SECOND)), /exceeded quota/);
  assertImpossible(diagnoseObject(job(), [], events, waitClockAt(62 * SECOND)), "ExceededQuota", QUOTA);
});

test("fails immediately if the request exceeds the quota", () => {
  const message = QUOTA.replace("limited: limits.memory=1Gi", "limited: limits.memory=900Mi");
  const events = [event(aboutObject(job()), "FailedCreate", message, SECOND)];
  assertImpossible(diagnoseObject(job(), [], events, waitClockAt(2 * SECOND)), "ExceededQuota", message);
});

test("ignores a quota refusal from before the pod existed", () => {
  const later = pod(job(), { containerStatuses: [{ name: "moodle", state: { running: {} } }] });
  later.metadata.creationTimestamp = timestampAt(10 * SECOND);
  const events = [event(aboutObject(job()), "FailedCreate", QUOTA, SECOND)];
  assertWaiting(diagnoseObject(job(), [later], events, waitClockAt(2 * MINUTE)), /is running/);
});

test("ignores the refusal of a pod that was created later", () => {
  const set = statefulSet();
  set["spec"].replicas = 2;
  const first = pod(set, { containerStatuses: [{ name: "db", state: { running: {} } }] });
  first.metadata.creationTimestamp = timestampAt(10 * SECOND);
  const message = 'create Pod db-0 in StatefulSet db failed error: pods "db-0" is forbidden: maximum cpu usage per ' +
    "Container is 2, but limit is 4";
  const events = [event(aboutObject(set), "FailedCreate", message, SECOND)];
  assertWaiting(diagnoseObject(set, [first], events, waitClockAt(20 * SECOND)), /0 of 2 pods ready/);
});

test("fails immediately on a LimitRange", () => {
  const message =
    'Error creating: pods "install-1-x" is forbidden: maximum cpu usage per Container is 2, but limit is 4';
  const events = [event(aboutObject(job()), "FailedCreate", message)];
  assertImpossible(diagnoseObject(job(), [], events, waitClockAt(SECOND)), "LimitRange", message);
});

test("fails immediately on pod security for a Job", () => {
  const message = 'Error creating: pods "install-1-x" is forbidden: violates PodSecurity "restricted:latest": ' +
    "runAsNonRoot != true (pod must not set securityContext.runAsNonRoot=false)";
  const events = [event(aboutObject(job()), "FailedCreate", message)];
  assertImpossible(diagnoseObject(job(), [], events, waitClockAt(SECOND)), "PodSecurity", message);
});

test("fails immediately on pod security for a StatefulSet", () => {
  const message = 'create Pod db-0 in StatefulSet db failed error: pods "db-0" is forbidden: violates PodSecurity ' +
    '"restricted:latest": runAsNonRoot != true';
  const events = [event(aboutObject(statefulSet()), "FailedCreate", message)];
  assertImpossible(diagnoseObject(statefulSet(), [], events, waitClockAt(SECOND)), "PodSecurity", message);
});

test("fails immediately on pod security for a Deployment, by its condition", () => {
  const message = 'pods "moodle-5f7-x" is forbidden: violates PodSecurity "restricted:latest": privileged';
  const conditions = [{
    type: "ReplicaFailure",
    status: "True",
    reason: "FailedCreate",
    message,
    lastTransitionTime: timestampAt(0),
  }];
  assertImpossible(diagnoseObject(deployment({ conditions }), [], [], waitClockAt(SECOND)), "PodSecurity", message);
});

test("fails immediately on pod security for a Deployment, by its ReplicaSet's event", () => {
  const message =
    'Error creating: pods "moodle-5f7-x" is forbidden: violates PodSecurity "restricted:latest": privileged';
  const events = [event({ kind: "ReplicaSet", name: "moodle-5f7", uid: "uid-rs" }, "FailedCreate", message)];
  assertImpossible(diagnoseObject(deployment(), [], events, waitClockAt(SECOND)), "PodSecurity", message);
});

test("waits for a new event if the refusal is older than the wait", () => {
  const message = 'create Pod db-0 in StatefulSet db failed error: pods "db-0" is forbidden: maximum cpu usage per ' +
    "Container is 2, but limit is 4";
  const events = [event(aboutObject(statefulSet()), "FailedCreate", message)];
  assertWaiting(
    diagnoseObject(statefulSet(), [], events, waitClockAt(11 * MINUTE, 10 * MINUTE)),
    /^The database is starting.*; at \S+ \S+ UTC its pod was refused because /,
  );
  assertImpossible(
    diagnoseObject(statefulSet(), [], events, waitClockAt(12 * MINUTE, 10 * MINUTE)),
    "LimitRange",
    message,
  );
});

test("waits if the reason for a missing pod is unknown", () => {
  const failedCreate = (message: string) => [event(aboutObject(job()), "FailedCreate", `Error creating: ${message}`)];
  const odd = "Internal error occurred: the sun has set";
  assertWaiting(diagnoseObject(job(), [], failedCreate(odd), waitClockAt(20 * MINUTE)), /the sun has set/);
  const hook = 'Internal error occurred: failed calling webhook "x.example.org": Post "https://x": EOF';
  assertWaiting(
    diagnoseObject(job(), [], failedCreate(hook), waitClockAt(20 * MINUTE)),
    /webhook x\.example\.org does not respond/,
  );
  const denied = 'admission webhook "x.example.org" denied the request: no';
  assertImpossible(diagnoseObject(job(), [], failedCreate(denied), waitClockAt(SECOND)), "WebhookDenied", denied);
  const refused = 'pods "install-1-x" is forbidden: by something new';
  assertImpossible(diagnoseObject(job(), [], failedCreate(refused), waitClockAt(SECOND)), "Forbidden", refused);
});

test("waits for a missing service account", () => {
  const message = 'Error creating: pods "x" is forbidden: error looking up service account ns/default: ' +
    'serviceaccount "default" not found';
  assertWaiting(
    diagnoseObject(job(), [], [event(aboutObject(job()), "FailedCreate", message)], waitClockAt(SECOND)),
    /service account/,
  );
});

test("ignores refusals of another Job of the same name", () => {
  const message = 'Error creating: pods "x" is forbidden: maximum cpu usage per Container is 2, but limit is 4';
  const events = [event({ ...aboutObject(job()), uid: "uid-of-before" }, "FailedCreate", message)];
  assertWaiting(diagnoseObject(job(), [], events, waitClockAt(SECOND)), /is running/);
});

const failed = (reason: string, message: string, type = "Failed") =>
  job([{ type, status: "True", reason, message, lastTransitionTime: timestampAt(0) }]);

test("fails with the Job's own reason", () => {
  const message = "Job has reached the specified backoff limit";
  assertImpossible(
    diagnoseObject(failed("BackoffLimitExceeded", message), [], [], waitClockAt(0)),
    "BackoffLimitExceeded",
    message,
  );
});

test("treats FailureTarget as failed", () => {
  const message = "Job was active longer than specified deadline";
  const verdict = diagnoseObject(failed("DeadlineExceeded", message, "FailureTarget"), [], [], waitClockAt(0));
  assertImpossible(verdict, "DeadlineExceeded", message);
});

test("reports out of memory instead of the back-off limit, for any exit code", () => {
  const dead = pod(job(), {
    containerStatuses: [{ name: "moodle", state: { terminated: { reason: "OOMKilled", exitCode: 12 } } }],
  });
  const broken = failed("BackoffLimitExceeded", "Job has reached the specified backoff limit");
  assertImpossible(
    diagnoseObject(broken, [dead], [], waitClockAt(0)),
    "OOMKilled",
    /ran out of memory \(exit code 12\)/,
  );
  assert.is(findJobFailure(broken, [dead])?.terminated?.exitCode, 12);
});

test("fails on a rollout that exceeded its deadline", () => {
  const message = 'ReplicaSet "moodle-5f7" has timed out progressing.';
  const conditions = [
    { type: "Available", status: "False", reason: "MinimumReplicasUnavailable", lastTransitionTime: timestampAt(0) },
    {
      type: "Progressing",
      status: "False",
      reason: "ProgressDeadlineExceeded",
      message,
      lastTransitionTime: timestampAt(MINUTE),
    },
  ];
  assertImpossible(
    diagnoseObject(deployment({ conditions }), [], [], waitClockAt(MINUTE)),
    "ProgressDeadlineExceeded",
    message,
  );
  const unseen = deployment({ conditions, observedGeneration: 0 });
  assertWaiting(diagnoseObject(unseen, [], [], waitClockAt(MINUTE)), /waiting for the cluster to start the change/);
});

test("gives a rollout that failed before the wait its full time again", () => {
  const reason = "ProgressDeadlineExceeded", began = 20 * MINUTE;
  const deploymentFailedAt = (lastTransitionTime: string) =>
    deployment({ conditions: [{ type: "Progressing", status: "False", reason, lastTransitionTime }] });
  const diagnoseAfter = (object: KubeObject, waited: number) =>
    diagnoseObject(object, [], [], waitClockAt(began + waited, began));
  assertWaiting(diagnoseAfter(deploymentFailedAt(timestampAt(MINUTE)), 9 * MINUTE), /0 of 1 /);
  assert.is(diagnoseAfter(deploymentFailedAt(timestampAt(MINUTE)), 10 * MINUTE).is, "impossible");
  assert.is(
    diagnoseAfter(deploymentFailedAt(timestampAt(began + MINUTE)), MINUTE).is,
    "impossible",
    "the rollout failed during the wait",
  );
});

test("ignores pods of an earlier template", () => {
  const old = crashedContainer(9);
  const fresh = pod(deployment(), { containerStatuses: [{ name: "moodle", state: { running: {} } }] });
  fresh.metadata.creationTimestamp = timestampAt(SECOND);
  fresh.metadata.ownerReferences![0]!.name = "moodle-6c8";
  assertWaiting(diagnoseObject(deployment(), [old, fresh], [], waitClockAt(MINUTE)), /0 of 1 /);
});

test("ignores pods that are being deleted", () => {
  const going = crashedContainer(9);
  going.metadata.deletionTimestamp = timestampAt(0);
  assertWaiting(diagnoseObject(deployment(), [going], [], waitClockAt(MINUTE)), /0 of 1 /);
});

test("is ready when available, whatever its events say", () => {
  const ready = deployment({ replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 });
  assert.is(diagnoseObject(ready, [crashedContainer(9)], [], waitClockAt(0)).is, "ready");
});

test.run();
