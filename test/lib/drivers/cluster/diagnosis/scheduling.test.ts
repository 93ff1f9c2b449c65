import { suite } from "uvu";
import * as assert from "uvu/assert";
import { diagnoseObject } from "#lib/drivers/cluster/diagnosis/diagnose.ts";
import { withoutOutdatedPvcEvents } from "#lib/drivers/cluster/diagnosis/scheduling.ts";
import { MINUTE } from "#lib/base/time.ts";
import {
  assertImpossible,
  assertWaiting,
  event,
  job,
  pod,
  timestampAt,
  waitClockAt,
} from "#test/support/kube/samples.ts";

const test = suite("diagnoseScheduling");

const unscheduled = (message: string, reason = "Unschedulable") =>
  pod(job(), {
    conditions: [{ type: "PodScheduled", status: "False", reason, message, lastTransitionTime: timestampAt(0) }],
  });

/** Messages of several scheduler versions, and the subject of the hint. */
const WORDS: readonly (readonly [says: string, hint: RegExp])[] = [
  [
    "0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: 1 No preemption victims found",
    /more cpu,/,
  ],
  ["0/5 nodes are available: 2 Insufficient cpu, 3 Insufficient memory.", /more cpu,/],
  ["0/2 nodes are available: 2 Insufficient ephemeral-storage.", /more ephemeral-storage,/],
  ["0/3 nodes are available: 3 Too many pods.", /maximum number of pods/],
  [
    "0/3 nodes are available: 3 node(s) had untolerated taint {node.kubernetes.io/disk-pressure: }. preemption: 0/3",
    /taint node\.kubernetes\.io\/disk-pressure: ,/,
  ],
  [
    "0/3 nodes are available: 3 node(s) had taint {node-role.kubernetes.io/master: }, that the pod didn't tolerate.",
    /without these taints/,
  ],
  ["0/3 nodes are available: 3 node(s) had taints that the pod didn't tolerate.", /without these taints/],
  [
    "0/2 nodes are available: 1 node(s) didn't match pod affinity rules, 1 node(s) were unschedulable.",
    /share a volume/,
  ],
  ["0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.", /Label a node/],
  ["0/3 nodes are available: 3 node(s) had volume node affinity conflict.", /node or zone/],
  ["0/1 nodes are available: 1 node(s) were unschedulable. preemption: 0/1 nodes are available", /uncordon/],
  ["0/2 nodes are available: 2 node(s) exceed max volume count.", /maximum number of volumes/],
  ["no nodes available to schedule pods", /no working node/],
  ["0/9 nodes are available: 9 node(s) were in a bad mood.", /Add nodes to the cluster/],
];

for (const [podMessage, hint] of WORDS) {
  test(`understands "${podMessage}"`, () => {
    assertWaiting(
      diagnoseObject(job(), [unscheduled(podMessage)], [], waitClockAt(MINUTE)),
      /^Waiting for a node that can run pod install-1-abc: /,
    );
    const verdict = diagnoseObject(job(), [unscheduled(podMessage)], [], waitClockAt(2 * MINUTE));
    assertImpossible(verdict, "Unschedulable", `No node can run pod install-1-abc: ${podMessage}`);
    assert.match(verdict.is === "impossible" ? verdict.hint! : "", hint);
  });
}

test("waits for a scheduling gate", () => {
  const gated = unscheduled("Scheduling is blocked due to non-empty scheduling gates", "SchedulingGated");
  assertWaiting(diagnoseObject(job(), [gated], [], waitClockAt(30 * MINUTE)), /scheduling gates/);
});

test("diagnoses an unscheduled pod by its PersistentVolumeClaims", () => {
  const silent = pod(job(), {}, { volumes: [{ persistentVolumeClaim: { claimName: "files" } }] });
  const message =
    'failed to provision volume with StorageClass "fast": rpc error: code = Internal desc = no quota left';
  const events = [event({ kind: "PersistentVolumeClaim", name: "files" }, "ProvisioningFailed", message)];
  assertWaiting(
    diagnoseObject(job(), [silent], events, waitClockAt(MINUTE)),
    /No volume can be created for PersistentVolumeClaim files: .*no quota left/,
  );
  assertImpossible(diagnoseObject(job(), [silent], events, waitClockAt(10 * MINUTE)), "ProvisioningFailed", message);
});

test("fails on a new volume that is never created, but waits for a copy of a snapshot", () => {
  const silent = pod(job(), {}, { volumes: [{ persistentVolumeClaim: { claimName: "files" } }] });
  const message = "Waiting for a volume to be created either by the external provisioner 'slow.example' or manually.";
  const about = { kind: "PersistentVolumeClaim", name: "files" };
  const events = [event(about, "ExternalProvisioning", message)];
  const early = diagnoseObject(job(), [silent], events, waitClockAt(5 * MINUTE));
  assertWaiting(
    early,
    /external provisioner 'slow\.example'.*Check that the provisioner of the storage class is running\./,
  );
  const verdict = diagnoseObject(job(), [silent], events, waitClockAt(11 * MINUTE));
  assertImpossible(verdict, "VolumePending", `No volume was created for PersistentVolumeClaim files: ${message}`);
  assert.match(
    verdict.is === "impossible" ? verdict.hint! : "",
    /provisioner of the storage class .* another storage class/,
  );
  const claim = (spec: object) => ({
    apiVersion: "v1",
    ...{ kind: "PersistentVolumeClaim", metadata: { name: "files", creationTimestamp: timestampAt(0) }, spec },
  });
  const copied = withoutOutdatedPvcEvents(events, [claim({ dataSource: { kind: "VolumeSnapshot", name: "s" } })]);
  assertWaiting(
    diagnoseObject(job(), [silent], copied, waitClockAt(170 * MINUTE)),
    /^Waiting for the volume of PersistentVolumeClaim files/,
  );
  const made = withoutOutdatedPvcEvents(events, [claim({})]);
  assertImpossible(diagnoseObject(job(), [silent], made, waitClockAt(11 * MINUTE)), "VolumePending", message);
});

test("fails on a pod whose PersistentVolumeClaims are never bound", () => {
  const podMessage = "0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims.";
  assertWaiting(diagnoseObject(job(), [unscheduled(podMessage)], [], waitClockAt(9 * MINUTE)), /unbound immediate/);
  assertImpossible(
    diagnoseObject(job(), [unscheduled(podMessage)], [], waitClockAt(11 * MINUTE)),
    "VolumePending",
    podMessage,
  );
});

test.run();
