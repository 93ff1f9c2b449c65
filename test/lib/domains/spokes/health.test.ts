import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { findNamespaceProblem, findObjectProblem, listObjectsToCheck } from "#lib/domains/spokes/health.ts";

const namespaces = suite("findNamespaceProblem");
const labels = { "app.kubernetes.io/managed-by": "wheelwright" };
const namespace = (metadata: object, status = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: "n", uid: "1", labels, ...metadata },
  status,
});

namespaces("returns null for a live, managed namespace", () => {
  assert.is(findNamespaceProblem(namespace({}, { phase: "Active" }), "1"), null);
});

namespaces("reports a namespace that is missing, replaced, unmanaged or terminating", () => {
  assert.match(findNamespaceProblem(null, "1")!, "no longer exists");
  assert.match(findNamespaceProblem(namespace({ uid: "2" }), "1")!, "another namespace");
  assert.match(findNamespaceProblem(namespace({ labels: {} }), "1")!, "does not have the label");
  assert.match(findNamespaceProblem(namespace({ deletionTimestamp: "now" }), "1")!, "being deleted");
  assert.match(findNamespaceProblem(namespace({}, { phase: "Terminating" }), "1")!, "being deleted");
});

const parts = suite("findObjectProblem");
const [moodle, database, files] = listObjectsToCheck({});
const object = (spec: object, status: object, metadata = {}): KubeObject => ({
  ...{ apiVersion: "v1", kind: "any", metadata: { name: "any", ...metadata } },
  ...{ spec, status },
});

parts("returns null for a ready object", () => {
  assert.is(findObjectProblem(moodle!, object({ replicas: 1 }, { availableReplicas: 1 })), null);
  assert.is(findObjectProblem(database!, object({ replicas: 1 }, { readyReplicas: 1 })), null);
  assert.is(findObjectProblem(files!, object({}, { phase: "Bound" })), null);
});

parts("reports an object that is missing, not ready, scaled down, or a PVC that is being deleted", () => {
  assert.is(findObjectProblem(moodle!, null), "Deployment moodle is missing");
  assert.match(findObjectProblem(moodle!, object({ replicas: 1 }, {}))!, "no available pod");
  assert.match(findObjectProblem(moodle!, object({ replicas: 0 }, { availableReplicas: 1 }))!, "scaled to 0");
  assert.match(findObjectProblem(database!, object({ replicas: 1 }, { readyReplicas: 0 }))!, "no ready pod");
  assert.match(findObjectProblem(database!, object({ replicas: 0 }, {}))!, "scaled to 0");
  assert.match(findObjectProblem(files!, object({}, { phase: "Lost" }))!, "Lost, not Bound");
  assert.match(
    findObjectProblem(files!, object({}, { phase: "Bound" }, { deletionTimestamp: "now" }))!,
    "being deleted",
  );
});

namespaces.run();
parts.run();
