import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { KubeObject } from "#lib/cluster/cluster.ts";
import { failureOf, judge } from "#lib/cluster/diagnose.ts";
import { type Clock, PATIENCE, type Verdict } from "#lib/cluster/verdict.ts";
import { MINUTE, SECOND } from "#lib/time.ts";

const START = Date.parse("2026-11-21T01:00:00Z");
const at = (ms: number) => new Date(START + ms).toISOString();
const clock = (ms: number, since = 0): Clock => ({ now: START + ms, since: START + since, patience: PATIENCE });

const meta = (name: string, more = {}) => ({ name, uid: `uid-${name}`, creationTimestamp: at(0), ...more });
const job = (conditions: unknown[] = []): KubeObject => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: meta("install-1"),
  status: { conditions },
});
const deployment = (status: object = {}): KubeObject => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: meta("moodle", { generation: 1 }),
  spec: { replicas: 1, selector: { matchLabels: { app: "moodle" } } },
  status: { observedGeneration: 1, ...status },
});
const statefulSet = (): KubeObject => ({
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  metadata: meta("db", { generation: 1 }),
  spec: { replicas: 1 },
  status: { observedGeneration: 1, replicas: 0 },
});
const pod = (owner: KubeObject, status: object, spec: object = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: meta(`${owner.metadata.name}-abc`, {
    labels: { app: "moodle" },
    ownerReferences: [
      owner.kind === "Deployment"
        ? { apiVersion: "apps/v1", kind: "ReplicaSet", name: `${owner.metadata.name}-5f7`, uid: "uid-rs" }
        : { apiVersion: owner.apiVersion, kind: owner.kind, name: owner.metadata.name, uid: owner.metadata.uid },
    ],
  }),
  spec,
  status,
});
const event = (about: { kind: string; name: string; uid?: string }, reason: string, message: string, ms = 0) => ({
  apiVersion: "v1",
  kind: "Event",
  metadata: meta(`${about.name}.${reason}.${ms}`),
  involvedObject: about,
  reason,
  message,
  firstTimestamp: at(ms),
  lastTimestamp: at(ms),
  count: 1,
});
const about = (object: KubeObject) => ({
  kind: object.kind,
  name: object.metadata.name,
  uid: object.metadata.uid!,
});

function isImpossible(verdict: Verdict, code: string, message: RegExp | string): void {
  assert.is(verdict.is, "impossible", JSON.stringify(verdict));
  if (verdict.is !== "impossible") return;
  assert.is(verdict.code, code);
  if (typeof message === "string") assert.is(verdict.message, message);
  else assert.match(verdict.message, message);
}

function isWaiting(verdict: Verdict, sentence: RegExp): void {
  assert.is(verdict.is, "waiting", JSON.stringify(verdict));
  if (verdict.is === "waiting") assert.match(verdict.sentence, sentence);
}

const test = suite("judge");

const PULL = 'failed to pull and unpack image "nope:1": failed to resolve reference "nope:1": dial tcp: ' +
  "lookup registry-1.docker.io on 10.0.0.10:53: no such host";
const pulling = (reason: string, message: string) =>
  pod(job(), { initContainerStatuses: [{ name: "dirs", state: { waiting: { reason, message } } }] });

test("an image that cannot be pulled is waited for until the kubelet backs off", () => {
  isWaiting(judge(job(), [pulling("ErrImagePull", PULL)], [], clock(5 * SECOND)), /no such host/);
});

test("an image that does not exist is given up at the back-off, with the original message", () => {
  const message = `Back-off pulling image "nope:1": ErrImagePull: ${PULL}`;
  isImpossible(judge(job(), [pulling("ImagePullBackOff", message)], [], clock(20 * SECOND)), "ErrImagePull", PULL);
});

test("an older kubelet's back-off is explained by the pod's event", () => {
  const stuck = pulling("ImagePullBackOff", 'Back-off pulling image "nope:1"');
  const told = event(about(stuck), "Failed", 'Failed to pull image "nope:1": manifest unknown', SECOND);
  isImpossible(judge(job(), [stuck], [told], clock(20 * SECOND)), "ErrImagePull", /manifest unknown/);
});

test("a registry that is merely slow is given three minutes", () => {
  const stuck = pulling("ImagePullBackOff", 'Back-off pulling image "x": ErrImagePull: i/o timeout');
  isWaiting(judge(job(), [stuck], [], clock(2 * MINUTE)), /i\/o timeout/);
  isImpossible(judge(job(), [stuck], [], clock(3 * MINUTE)), "ErrImagePull", "i/o timeout");
});

test("an image name that cannot be right is given up at once", () => {
  const verdict = judge(job(), [pulling("InvalidImageName", "couldn't parse image name")], [], clock(0));
  isImpossible(verdict, "InvalidImageName", "couldn't parse image name");
});

const QUOTA = 'Error creating: pods "install-1-69vzd" is forbidden: exceeded quota: spoke, ' +
  "requested: limits.memory=1Gi, used: limits.memory=512Mi, limited: limits.memory=1Gi";

test("a quota that others use up is given a minute", () => {
  const events = [event(about(job()), "FailedCreate", QUOTA, SECOND)];
  isWaiting(judge(job(), [], events, clock(30 * SECOND)), /exceeded quota/);
  isImpossible(judge(job(), [], events, clock(62 * SECOND)), "ExceededQuota", QUOTA);
});

test("a quota that is smaller than what is asked for is given up at once", () => {
  const message = QUOTA.replace("limited: limits.memory=1Gi", "limited: limits.memory=900Mi");
  const events = [event(about(job()), "FailedCreate", message, SECOND)];
  isImpossible(judge(job(), [], events, clock(2 * SECOND)), "ExceededQuota", message);
});

test("a quota that was short before the pod came is forgotten", () => {
  const later = pod(job(), { containerStatuses: [{ name: "moodle", state: { running: {} } }] });
  later.metadata.creationTimestamp = at(10 * SECOND);
  const events = [event(about(job()), "FailedCreate", QUOTA, SECOND)];
  isWaiting(judge(job(), [later], events, clock(2 * MINUTE)), /is running/);
});

test("a refusal of the first of two pods is forgotten once the first has come", () => {
  const set = statefulSet();
  set["spec"].replicas = 2;
  const first = pod(set, { containerStatuses: [{ name: "db", state: { running: {} } }] });
  first.metadata.creationTimestamp = at(10 * SECOND);
  const message = 'create Pod db-0 in StatefulSet db failed error: pods "db-0" is forbidden: maximum cpu usage per ' +
    "Container is 2, but limit is 4";
  const events = [event(about(set), "FailedCreate", message, SECOND)];
  isWaiting(judge(set, [first], events, clock(20 * SECOND)), /has 0 of 2 pods ready/);
});

test("a LimitRange is given up at once", () => {
  const message =
    'Error creating: pods "install-1-x" is forbidden: maximum cpu usage per Container is 2, but limit is 4';
  const events = [event(about(job()), "FailedCreate", message)];
  isImpossible(judge(job(), [], events, clock(SECOND)), "LimitRange", message);
});

test("pod security is given up at once for a Job", () => {
  const message = 'Error creating: pods "install-1-x" is forbidden: violates PodSecurity "restricted:latest": ' +
    "runAsNonRoot != true (pod must not set securityContext.runAsNonRoot=false)";
  const events = [event(about(job()), "FailedCreate", message)];
  isImpossible(judge(job(), [], events, clock(SECOND)), "PodSecurity", message);
});

test("pod security is given up at once for a StatefulSet", () => {
  const message = 'create Pod db-0 in StatefulSet db failed error: pods "db-0" is forbidden: violates PodSecurity ' +
    '"restricted:latest": runAsNonRoot != true';
  const events = [event(about(statefulSet()), "FailedCreate", message)];
  isImpossible(judge(statefulSet(), [], events, clock(SECOND)), "PodSecurity", message);
});

test("pod security is given up at once for a Deployment, by its condition", () => {
  const message = 'pods "moodle-5f7-x" is forbidden: violates PodSecurity "restricted:latest": privileged';
  const conditions = [{
    type: "ReplicaFailure",
    status: "True",
    reason: "FailedCreate",
    message,
    lastTransitionTime: at(0),
  }];
  isImpossible(judge(deployment({ conditions }), [], [], clock(SECOND)), "PodSecurity", message);
});

test("pod security is given up at once for a Deployment, by its ReplicaSet's event", () => {
  const message =
    'Error creating: pods "moodle-5f7-x" is forbidden: violates PodSecurity "restricted:latest": privileged';
  const events = [event({ kind: "ReplicaSet", name: "moodle-5f7", uid: "uid-rs" }, "FailedCreate", message)];
  isImpossible(judge(deployment(), [], events, clock(SECOND)), "PodSecurity", message);
});

test("a refusal that is older than the wait is given time to be said again", () => {
  const message = 'create Pod db-0 in StatefulSet db failed error: pods "db-0" is forbidden: maximum cpu usage per ' +
    "Container is 2, but limit is 4";
  const events = [event(about(statefulSet()), "FailedCreate", message)];
  isWaiting(judge(statefulSet(), [], events, clock(11 * MINUTE, 10 * MINUTE)), /cannot make its pod/);
  isImpossible(judge(statefulSet(), [], events, clock(12 * MINUTE, 10 * MINUTE)), "LimitRange", message);
});

test("a service account that is about to be made is waited for", () => {
  const message = 'Error creating: pods "x" is forbidden: error looking up service account ns/default: ' +
    'serviceaccount "default" not found';
  isWaiting(judge(job(), [], [event(about(job()), "FailedCreate", message)], clock(SECOND)), /service account/);
});

test("a refusal of another Job of the same name does not count", () => {
  const message = 'Error creating: pods "x" is forbidden: maximum cpu usage per Container is 2, but limit is 4';
  const events = [event({ ...about(job()), uid: "uid-of-before" }, "FailedCreate", message)];
  isWaiting(judge(job(), [], events, clock(SECOND)), /is running/);
});

const unbound = "0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims. preemption: not helpful";
const unscheduled = (owner: KubeObject, message: string) =>
  pod(owner, {
    conditions: [{
      type: "PodScheduled",
      status: "False",
      reason: "Unschedulable",
      message,
      lastTransitionTime: at(0),
    }],
  }, { volumes: [{ persistentVolumeClaim: { claimName: "data-db-0" } }] });
const CLAIM = { kind: "PersistentVolumeClaim", name: "data-db-0" };

test("a claim that is being bound is normal", () => {
  const set = statefulSet();
  isWaiting(judge(set, [unscheduled(set, unbound)], [], clock(10 * MINUTE)), /waits for a node/);
  const missing = 'persistentvolumeclaim "data-db-0" not found';
  isWaiting(judge(set, [unscheduled(set, missing)], [], clock(10 * MINUTE)), /waits for a node/);
});

test("a missing storage class is given up at once, for the pod that waits for the claim", () => {
  const set = statefulSet();
  const message = 'storageclass.storage.k8s.io "nope" not found';
  const events = [event(CLAIM, "ProvisioningFailed", message)];
  isImpossible(judge(set, [unscheduled(set, unbound)], events, clock(SECOND)), "ProvisioningFailed", message);
});

const claim = (phase: string): KubeObject => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: meta("data-db-0"),
  status: { phase },
});

test("a missing storage class is given up at once for the claim itself", () => {
  const message = 'storageclass.storage.k8s.io "nope" not found';
  const events = [event(CLAIM, "ProvisioningFailed", message)];
  isImpossible(judge(claim("Pending"), [], events, clock(SECOND)), "ProvisioningFailed", message);
});

test("a driver that cannot provision just now is waited for", () => {
  const events = [event(CLAIM, "ProvisioningFailed", "rpc error: code = ResourceExhausted")];
  isWaiting(judge(claim("Pending"), [], events, clock(10 * MINUTE)), /ResourceExhausted/);
});

test("a claim that its first pod will bind counts as ready", () => {
  const events = [event(CLAIM, "WaitForFirstConsumer", "waiting for first consumer to be created before binding")];
  assert.is(judge(claim("Pending"), [], events, clock(0)).is, "ready");
  assert.is(judge(claim("Bound"), [], [], clock(0)).is, "ready");
  isWaiting(judge(claim("Pending"), [], [], clock(0)), /not bound/);
});

test("a pod that finds no node is given two minutes", () => {
  const message = "0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: 1 No preemption " +
    "victims found for incoming pod.";
  isWaiting(judge(job(), [unscheduled(job(), message)], [], clock(MINUTE)), /Insufficient cpu/);
  isImpossible(judge(job(), [unscheduled(job(), message)], [], clock(2 * MINUTE)), "Unschedulable", message);
});

test("waiting says when the same sight will be judged otherwise", () => {
  const verdict = judge(job(), [unscheduled(job(), "1 Insufficient cpu")], [], clock(90 * SECOND));
  assert.is(verdict.is === "waiting" && verdict.again, 30 * SECOND);
});

const failed = (reason: string, message: string, type = "Failed") =>
  job([{ type, status: "True", reason, message, lastTransitionTime: at(0) }]);

test("a Job that has failed is given up with its own reason", () => {
  const message = "Job has reached the specified backoff limit";
  isImpossible(judge(failed("BackoffLimitExceeded", message), [], [], clock(0)), "BackoffLimitExceeded", message);
});

test("a Job that is going to fail has failed", () => {
  const message = "Job was active longer than specified deadline";
  const verdict = judge(failed("DeadlineExceeded", message, "FailureTarget"), [], [], clock(0));
  isImpossible(verdict, "DeadlineExceeded", message);
});

test("out of memory takes precedence over the back-off limit, whatever the exit code", () => {
  const dead = pod(job(), {
    containerStatuses: [{ name: "moodle", state: { terminated: { reason: "OOMKilled", exitCode: 12 } } }],
  });
  const broken = failed("BackoffLimitExceeded", "Job has reached the specified backoff limit");
  isImpossible(judge(broken, [dead], [], clock(0)), "OOMKilled", /ran out of memory \(exit code 12\)/);
  assert.is(failureOf(broken, [dead])?.terminated?.exitCode, 12);
});

test("a missing secret is given ten seconds", () => {
  const stuck = pod(job(), {
    containerStatuses: [{
      name: "moodle",
      state: { waiting: { reason: "CreateContainerConfigError", message: 'secret "moodle" not found' } },
    }],
  });
  isWaiting(judge(job(), [stuck], [], clock(5 * SECOND)), /secret "moodle" not found/);
  const verdict = judge(job(), [stuck], [], clock(10 * SECOND));
  isImpossible(verdict, "CreateContainerConfigError", 'secret "moodle" not found');
});

test("a missing secret that is mounted is given ten seconds", () => {
  const stuck = pod(job(), {
    containerStatuses: [{ name: "moodle", state: { waiting: { reason: "ContainerCreating" } } }],
  });
  const message = 'MountVolume.SetUp failed for volume "fpm" : configmap "fpm-size" not found';
  const events = [event(about(stuck), "FailedMount", message, SECOND)];
  isWaiting(judge(job(), [stuck], events, clock(5 * SECOND)), /waits for its volumes/);
  isImpossible(judge(job(), [stuck], events, clock(11 * SECOND)), "FailedMount", message);
});

test("a failing probe is not worth a word in the first minute, and then never decides", () => {
  const starting = pod(deployment(), { containerStatuses: [{ name: "moodle", state: { running: {} } }] });
  const message = "Startup probe failed: curl: (7) Failed to connect to 127.0.0.1 port 8099 after 0 ms: Couldn't " +
    "connect to server";
  const early = [event(about(starting), "Unhealthy", message, 30 * SECOND)];
  isWaiting(judge(deployment(), [starting], early, clock(40 * SECOND)), /has 0 of 1 pods/);
  const late = [event(about(starting), "Unhealthy", message, 5 * MINUTE)];
  isWaiting(judge(deployment(), [starting], late, clock(5 * MINUTE)), /Startup probe failed/);
});

test("a probe that is asked while its container stops is normal", () => {
  const stopping = pod(deployment(), { containerStatuses: [{ name: "moodle", state: { running: {} } }] });
  const message = "Readiness probe errored and resulted in unknown state: container is in CONTAINER_EXITED state";
  const events = [event(about(stopping), "Unhealthy", message)];
  isWaiting(judge(deployment(), [stopping], events, clock(20 * SECOND)), /has 0 of 1 pods/);
});

test("a rollout that is stuck is given up", () => {
  const message = 'ReplicaSet "moodle-5f7" has timed out progressing.';
  const conditions = [
    { type: "Available", status: "False", reason: "MinimumReplicasUnavailable", lastTransitionTime: at(0) },
    {
      type: "Progressing",
      status: "False",
      reason: "ProgressDeadlineExceeded",
      message,
      lastTransitionTime: at(MINUTE),
    },
  ];
  isImpossible(judge(deployment({ conditions }), [], [], clock(MINUTE)), "ProgressDeadlineExceeded", message);
  const unseen = deployment({ conditions, observedGeneration: 0 });
  isWaiting(judge(unseen, [], [], clock(MINUTE)), /not seen yet/);
});

const crashed = (restartCount: number, reason = "Error") =>
  pod(deployment(), {
    containerStatuses: [{
      name: "moodle",
      restartCount,
      state: {
        waiting: {
          reason: "CrashLoopBackOff",
          message: "back-off 10s restarting failed container=moodle pod=moodle-5f7-x",
        },
      },
      lastState: { terminated: { exitCode: 1, reason } },
    }],
  });

test("a container that crashes is given five restarts", () => {
  isWaiting(judge(deployment(), [crashed(4)], [], clock(MINUTE)), /has crashed 5 times \(Error, exit code 1\)/);
  isImpossible(judge(deployment(), [crashed(5)], [], clock(MINUTE)), "CrashLoopBackOff", /back-off 10s restarting/);
});

test("a container that crashes for lack of memory says so", () => {
  isImpossible(judge(deployment(), [crashed(5, "OOMKilled")], [], clock(MINUTE)), "OOMKilled", /ran out of memory/);
});

test("a pod of a template that has been replaced does not count", () => {
  const old = crashed(9);
  const fresh = pod(deployment(), { containerStatuses: [{ name: "moodle", state: { running: {} } }] });
  fresh.metadata.creationTimestamp = at(SECOND);
  fresh.metadata.ownerReferences![0]!.name = "moodle-6c8";
  isWaiting(judge(deployment(), [old, fresh], [], clock(MINUTE)), /has 0 of 1 pods/);
});

test("a pod that is being deleted does not count", () => {
  const going = crashed(9);
  going.metadata.deletionTimestamp = at(0);
  isWaiting(judge(deployment(), [going], [], clock(MINUTE)), /has 0 of 1 pods/);
});

test("what is available is ready, whatever its pods went through", () => {
  const ready = deployment({ replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 });
  assert.is(judge(ready, [crashed(9)], [], clock(0)).is, "ready");
});

test.run();
