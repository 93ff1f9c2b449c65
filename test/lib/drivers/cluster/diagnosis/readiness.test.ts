import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { findUnreadyReason } from "#lib/drivers/cluster/diagnosis/readiness.ts";

const object = (kind: string, spec: object, status: object | undefined, generation = 1): KubeObject => ({
  apiVersion: "v1",
  kind,
  metadata: { name: "x", generation },
  spec,
  ...(status ? { status } : {}),
});
const ready = (...from: Parameters<typeof object>) => assert.is(findUnreadyReason(object(...from)), undefined);
const lacks = (words: RegExp, ...from: Parameters<typeof object>) =>
  assert.match(findUnreadyReason(object(...from)) ?? "", words);

const test = suite("findUnreadyReason");

const all = { observedGeneration: 1, replicas: 2, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 2 };

test("a Deployment is ready once all of its pods are new and available", () => {
  ready("Deployment", { replicas: 2 }, all);
  lacks(/waiting for the cluster to start the change/, "Deployment", { replicas: 2 }, all, 2);
  lacks(/is starting, .*1 of 2 new pods created/, "Deployment", { replicas: 2 }, { ...all, updatedReplicas: 1 });
  lacks(/waiting for 1 old pods to end/, "Deployment", { replicas: 2 }, { ...all, replicas: 3 });
  lacks(/is starting, .*1 of 2 pods ready/, "Deployment", { replicas: 2 }, { ...all, availableReplicas: 1 });
});

test("a Deployment scaled to zero is ready once it has no pods", () => {
  ready("Deployment", { replicas: 0 }, { observedGeneration: 1 });
  lacks(/waiting for 1 old pods/, "Deployment", { replicas: 0 }, { observedGeneration: 1, replicas: 1 });
});

test("a StatefulSet is ready once its pods of the current revision are ready", () => {
  const revisions = { currentRevision: "a", updateRevision: "a" };
  ready("StatefulSet", { replicas: 2 }, { ...all, ...revisions });
  lacks(/restarting/, "StatefulSet", { replicas: 2 }, { ...all, ...revisions, updateRevision: "b" });
  lacks(/is starting, .*1 of 2 pods ready/, "StatefulSet", { replicas: 2 }, { ...all, readyReplicas: 1 });
  lacks(/is stopping .*0 desired/, "StatefulSet", { replicas: 0 }, { observedGeneration: 1, replicas: 1 });
});

test("a Job is ready once it is complete, not when it only met its success criteria", () => {
  ready("Job", {}, { conditions: [{ type: "Complete", status: "True" }] });
  lacks(/is running/, "Job", {}, { conditions: [{ type: "SuccessCriteriaMet", status: "True" }], succeeded: 1 });
});

test("an Ingress is ready once it has an address", () => {
  ready("Ingress", {}, { loadBalancer: { ingress: [{ ip: "10.0.0.1" }] } });
  lacks(/no address/, "Ingress", {}, { loadBalancer: {} });
});

test("a ResourceQuota is ready once its usage is known", () => {
  ready("ResourceQuota", { hard: { pods: "1" } }, { hard: { pods: "1" }, used: { pods: "0" } });
  lacks(/no usage status/, "ResourceQuota", { hard: { pods: "1" } }, {});
});

test("a VolumeSnapshot is ready to use, or shows its error", () => {
  ready("VolumeSnapshot", {}, { readyToUse: true });
  lacks(/no class/, "VolumeSnapshot", {}, { readyToUse: false, error: { message: "no class" } });
});

test("other kinds are ready by their Ready or Available condition for the current generation", () => {
  const condition = (type: string, status: string, observedGeneration?: number) => ({
    conditions: [{ type, status, message: "issuing", ...(observedGeneration ? { observedGeneration } : {}) }],
  });
  ready("Certificate", {}, condition("Ready", "True"));
  ready("Widget", {}, condition("Available", "True"));
  lacks(/issuing/, "Certificate", {}, condition("Ready", "False"));
  lacks(/waiting for the cluster to start the change/, "Certificate", {}, condition("Ready", "True", 1), 2);
  lacks(/has not reported/, "Certificate", {}, undefined);
});

test("kinds without a status are ready once they exist", () => {
  ready("ConfigMap", {}, undefined);
  ready("Service", { type: "ClusterIP" }, {});
  lacks(/no address/, "Service", { type: "LoadBalancer" }, {});
});

test.run();
