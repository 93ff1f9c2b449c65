import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { diagnoseObject } from "#lib/drivers/cluster/diagnosis/diagnose.ts";
import { MINUTE, SECOND } from "#lib/base/time.ts";
import {
  aboutObject,
  assertImpossible,
  assertWaiting,
  deployment,
  event,
  job,
  metadataOf,
  pod,
  statefulSet,
  timestampAt,
  waitClockAt,
} from "#test/support/kube/samples.ts";

const test = suite("diagnosePod");

const PULL = 'failed to pull and unpack image "nope:1": failed to resolve reference "nope:1": dial tcp: ' +
  "lookup registry-1.docker.io on 10.0.0.10:53: no such host";
const pulling = (reason: string, message: string) =>
  pod(job(), { initContainerStatuses: [{ name: "dirs", state: { waiting: { reason, message } } }] });

test("waits for an image until the kubelet backs off", () => {
  assertWaiting(diagnoseObject(job(), [pulling("ErrImagePull", PULL)], [], waitClockAt(5 * SECOND)), /no such host/);
});

test("fails on a missing image at the back-off, with the original message", () => {
  const message = `Back-off pulling image "nope:1": ErrImagePull: ${PULL}`;
  assertImpossible(
    diagnoseObject(job(), [pulling("ImagePullBackOff", message)], [], waitClockAt(20 * SECOND)),
    "ErrImagePull",
    PULL,
  );
});

test("explains an older kubelet's back-off by the pod's event", () => {
  const stuck = pulling("ImagePullBackOff", 'Back-off pulling image "nope:1"');
  const failedEvent = event(aboutObject(stuck), "Failed", 'Failed to pull image "nope:1": manifest unknown', SECOND);
  assertImpossible(
    diagnoseObject(job(), [stuck], [failedEvent], waitClockAt(20 * SECOND)),
    "ErrImagePull",
    /manifest unknown/,
  );
});

test("waits three minutes for a slow registry", () => {
  const stuck = pulling("ImagePullBackOff", 'Back-off pulling image "x": ErrImagePull: i/o timeout');
  assertWaiting(diagnoseObject(job(), [stuck], [], waitClockAt(2 * MINUTE)), /i\/o timeout/);
  assertImpossible(diagnoseObject(job(), [stuck], [], waitClockAt(3 * MINUTE)), "ErrImagePull", "i/o timeout");
});

test("fails immediately on an invalid image name", () => {
  const verdict = diagnoseObject(job(), [pulling("InvalidImageName", "couldn't parse image name")], [], waitClockAt(0));
  assertImpossible(verdict, "InvalidImageName", "couldn't parse image name");
});

const unbound = "0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims. preemption: not helpful";
const unscheduled = (owner: KubeObject, message: string) =>
  pod(owner, {
    conditions: [{
      type: "PodScheduled",
      status: "False",
      reason: "Unschedulable",
      message,
      lastTransitionTime: timestampAt(0),
    }],
  }, { volumes: [{ persistentVolumeClaim: { claimName: "data-db-0" } }] });
const CLAIM = { kind: "PersistentVolumeClaim", name: "data-db-0" };

test("reports nothing while a PersistentVolumeClaim is being bound", () => {
  const set = statefulSet();
  assertWaiting(diagnoseObject(set, [unscheduled(set, unbound)], [], waitClockAt(9 * MINUTE)), /Waiting for a node/);
  const missing = 'persistentvolumeclaim "data-db-0" not found';
  assertWaiting(diagnoseObject(set, [unscheduled(set, missing)], [], waitClockAt(9 * MINUTE)), /Waiting for a node/);
});

test("fails immediately on a missing storage class, for the pod that waits for the PersistentVolumeClaim", () => {
  const set = statefulSet();
  const message = 'storageclass.storage.k8s.io "nope" not found';
  const events = [event(CLAIM, "ProvisioningFailed", message)];
  assertImpossible(
    diagnoseObject(set, [unscheduled(set, unbound)], events, waitClockAt(SECOND)),
    "ProvisioningFailed",
    message,
  );
});

const claim = (phase: string): KubeObject => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: metadataOf("data-db-0"),
  status: { phase },
});

test("fails immediately on a missing storage class, for the PersistentVolumeClaim", () => {
  const message = 'storageclass.storage.k8s.io "nope" not found';
  const events = [event(CLAIM, "ProvisioningFailed", message)];
  assertImpossible(diagnoseObject(claim("Pending"), [], events, waitClockAt(SECOND)), "ProvisioningFailed", message);
});

test("waits ten minutes for a storage driver that cannot provision", () => {
  const message =
    'failed to provision volume with StorageClass "fast": rpc error: code = ResourceExhausted desc = full';
  const events = [event(CLAIM, "ProvisioningFailed", message)];
  assertWaiting(diagnoseObject(claim("Pending"), [], events, waitClockAt(9 * MINUTE)), /ResourceExhausted/);
  assertImpossible(
    diagnoseObject(claim("Pending"), [], events, waitClockAt(10 * MINUTE)),
    "ProvisioningFailed",
    message,
  );
  // A new retry gets the full time again.
  assertWaiting(
    diagnoseObject(claim("Pending"), [], events, waitClockAt(15 * MINUTE, 14 * MINUTE)),
    /ResourceExhausted/,
  );
});

test("treats a PersistentVolumeClaim that waits for its first pod as ready", () => {
  const events = [event(CLAIM, "WaitForFirstConsumer", "waiting for first consumer to be created before binding")];
  assert.is(diagnoseObject(claim("Pending"), [], events, waitClockAt(0)).is, "ready");
  assert.is(diagnoseObject(claim("Bound"), [], [], waitClockAt(0)).is, "ready");
  assertWaiting(diagnoseObject(claim("Pending"), [], [], waitClockAt(0)), /has no volume yet/);
});

test("waits two minutes for a pod without a node", () => {
  const message = "0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: 1 No preemption " +
    "victims found for incoming pod.";
  assertWaiting(diagnoseObject(job(), [unscheduled(job(), message)], [], waitClockAt(MINUTE)), /Insufficient cpu/);
  assertImpossible(
    diagnoseObject(job(), [unscheduled(job(), message)], [], waitClockAt(2 * MINUTE)),
    "Unschedulable",
    message,
  );
});

test("returns when the unchanged state must be checked again", () => {
  const verdict = diagnoseObject(job(), [unscheduled(job(), "1 Insufficient cpu")], [], waitClockAt(90 * SECOND));
  assert.is(verdict.is === "waiting" && verdict.again, 30 * SECOND);
});

test("waits ten seconds for a missing Secret", () => {
  const stuck = pod(job(), {
    containerStatuses: [{
      name: "moodle",
      state: { waiting: { reason: "CreateContainerConfigError", message: 'secret "moodle" not found' } },
    }],
  });
  assertWaiting(diagnoseObject(job(), [stuck], [], waitClockAt(5 * SECOND)), /secret "moodle" not found/);
  const verdict = diagnoseObject(job(), [stuck], [], waitClockAt(10 * SECOND));
  assertImpossible(verdict, "CreateContainerConfigError", 'secret "moodle" not found');
});

test("waits for a kubelet whose Secret cache is not synced", () => {
  const message = "failed to sync secret cache: timed out waiting for the condition";
  const stuck = pod(job(), {
    containerStatuses: [{ name: "moodle", state: { waiting: { reason: "CreateContainerConfigError", message } } }],
  });
  assertWaiting(diagnoseObject(job(), [stuck], [], waitClockAt(MINUTE)), /failed to sync secret cache/);
});

test("waits ten seconds for a missing mounted Secret", () => {
  const stuck = pod(job(), {
    containerStatuses: [{ name: "moodle", state: { waiting: { reason: "ContainerCreating" } } }],
  });
  const message = 'MountVolume.SetUp failed for volume "fpm" : configmap "fpm-size" not found';
  const events = [event(aboutObject(stuck), "FailedMount", message, SECOND)];
  assertWaiting(diagnoseObject(job(), [stuck], events, waitClockAt(5 * SECOND)), /waits for its volumes/);
  assertImpossible(diagnoseObject(job(), [stuck], events, waitClockAt(11 * SECOND)), "FailedMount", message);
});

test("ignores a failing probe in the first minute, and never fails because of it", () => {
  const starting = pod(deployment(), { containerStatuses: [{ name: "moodle", state: { running: {} } }] });
  const message = "Startup probe failed: curl: (7) Failed to connect to 127.0.0.1 port 8099 after 0 ms: Couldn't " +
    "connect to server";
  const early = [event(aboutObject(starting), "Unhealthy", message, 30 * SECOND)];
  assertWaiting(diagnoseObject(deployment(), [starting], early, waitClockAt(40 * SECOND)), /0 of 1 /);
  const late = [event(aboutObject(starting), "Unhealthy", message, 5 * MINUTE)];
  assertWaiting(diagnoseObject(deployment(), [starting], late, waitClockAt(5 * MINUTE)), /Startup probe failed/);
});

test("ignores a failing probe of a stopping container", () => {
  const stopping = pod(deployment(), { containerStatuses: [{ name: "moodle", state: { running: {} } }] });
  const message = "Readiness probe errored and resulted in unknown state: container is in CONTAINER_EXITED state";
  const events = [event(aboutObject(stopping), "Unhealthy", message)];
  assertWaiting(diagnoseObject(deployment(), [stopping], events, waitClockAt(20 * SECOND)), /0 of 1 /);
});

test("ignores mount errors once a container has started or its image was pulled", () => {
  const message = 'MountVolume.SetUp failed for volume "fpm" : configmap "fpm-size" not found';
  const running = pod(deployment(), { containerStatuses: [{ name: "moodle", state: { running: {} } }] });
  const old = [event(aboutObject(running), "FailedMount", message, SECOND)];
  assertWaiting(diagnoseObject(deployment(), [running], old, waitClockAt(50 * SECOND)), /0 of 1 /);
  const creating = pod(deployment(), {
    containerStatuses: [{ name: "moodle", state: { waiting: { reason: "ContainerCreating" } } }],
  });
  const pulled = [...old, event(aboutObject(creating), "Pulling", 'Pulling image "x"', 5 * SECOND)];
  assertWaiting(diagnoseObject(deployment(), [creating], pulled, waitClockAt(50 * SECOND)), /0 of 1 /);
});

test("waits ten minutes for a volume or the pod network", () => {
  const creating = pod(job(), {
    containerStatuses: [{ name: "moodle", state: { waiting: { reason: "ContainerCreating" } } }],
  });
  const words = [
    ["FailedAttachVolume", 'Multi-Attach error for volume "pvc-1" Volume is already used by pod(s) x'],
    [
      "FailedMount",
      "Unable to attach or mount volumes: unmounted volumes=[files]: timed out waiting for the condition",
    ],
    ["FailedCreatePodSandBox", 'Failed to create pod sandbox: plugin type="calico" failed (add): no addresses left'],
  ] as const;
  for (const [reason, message] of words) {
    const events = [event(aboutObject(creating), reason, message)];
    assertWaiting(
      diagnoseObject(job(), [creating], events, waitClockAt(9 * MINUTE)),
      /^Pod install-1-abc waits for its (volumes|network): /,
    );
    assertImpossible(diagnoseObject(job(), [creating], events, waitClockAt(10 * MINUTE)), reason, message);
  }
});

for (
  const [says, hint] of [
    ['secret "moodle" not found', /The secret moodle does not exist/],
    ['configmap "fpm-size" not found', /The configmap fpm-size/],
    ["couldn't find key DB_PASS in Secret ns/moodle", /key DB_PASS/],
    ["container has runAsNonRoot and image will run as root", /runAsUser/],
    ["something else", /container's configuration/],
  ] as const
) {
  test(`says what to do about "${says}"`, () => {
    const stuck = pod(job(), {
      containerStatuses: [{
        name: "moodle",
        state: { waiting: { reason: "CreateContainerConfigError", message: says } },
      }],
    });
    const verdict = diagnoseObject(job(), [stuck], [], waitClockAt(MINUTE));
    assertImpossible(verdict, "CreateContainerConfigError", says);
    assert.match(verdict.is === "impossible" ? verdict.hint! : "", hint);
  });
}

test.run();
