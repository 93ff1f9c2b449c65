import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { findNamespaceProblem, findPartProblem, partsOf } from "#lib/domains/spokes/health.ts";

const namespaces = suite("ailmentOfNamespace");
const labels = { "app.kubernetes.io/managed-by": "wheelwright" };
const namespace = (metadata: object, status = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: "n", uid: "1", labels, ...metadata },
  status,
});

namespaces("finds nothing wrong with one of ours that lives.", () => {
  assert.is(findNamespaceProblem(namespace({}, { phase: "Active" }), "1"), null);
});

namespaces("tells one that is gone, another one, not ours, or going.", () => {
  assert.match(findNamespaceProblem(null, "1")!, "gone");
  assert.match(findNamespaceProblem(namespace({ uid: "2" }), "1")!, "another one");
  assert.match(findNamespaceProblem(namespace({ labels: {} }), "1")!, "lacks the label");
  assert.match(findNamespaceProblem(namespace({ deletionTimestamp: "now" }), "1")!, "being deleted");
  assert.match(findNamespaceProblem(namespace({}, { phase: "Terminating" }), "1")!, "being deleted");
});

const parts = suite("ailmentOfPart");
const [moodle, database, files] = partsOf({});
const object = (spec: object, status: object, metadata = {}): KubeObject => ({
  ...{ apiVersion: "v1", kind: "any", metadata: { name: "any", ...metadata } },
  ...{ spec, status },
});

parts("finds nothing wrong with what is ready.", () => {
  assert.is(findPartProblem(moodle!, object({ replicas: 1 }, { availableReplicas: 1 })), null);
  assert.is(findPartProblem(database!, object({ replicas: 1 }, { readyReplicas: 1 })), null);
  assert.is(findPartProblem(files!, object({}, { phase: "Bound" })), null);
});

parts("tells what is missing, not ready, scaled down, or losing its disk.", () => {
  assert.is(findPartProblem(moodle!, null), "Deployment moodle is missing");
  assert.match(findPartProblem(moodle!, object({ replicas: 1 }, {}))!, "no available pod");
  assert.match(findPartProblem(moodle!, object({ replicas: 0 }, { availableReplicas: 1 }))!, "scaled to 0");
  assert.match(findPartProblem(database!, object({ replicas: 1 }, { readyReplicas: 0 }))!, "no ready pod");
  assert.match(findPartProblem(database!, object({ replicas: 0 }, {}))!, "scaled to 0");
  assert.match(findPartProblem(files!, object({}, { phase: "Lost" }))!, "Lost, not Bound");
  assert.match(findPartProblem(files!, object({}, { phase: "Bound" }, { deletionTimestamp: "now" }))!, "being deleted");
});

namespaces.run();
parts.run();
