import { suite } from "uvu";
import * as assert from "uvu/assert";
import { NAMESPACE, openStaticCluster, recordWatch, UID } from "#test/support/kube/static-cluster.ts";

const test = suite("Space.remove");

const terminating = (type: string, message: string) => ({
  metadata: {
    name: NAMESPACE,
    uid: UID,
    deletionTimestamp: new Date().toISOString(),
    labels: { "app.kubernetes.io/managed-by": "wheelwright" },
  },
  status: { phase: "Terminating", conditions: [{ type, status: "True", reason: "x", message }] },
});

test("reports what a stuck namespace waits for", async () => {
  const table = await openStaticCluster();
  try {
    table.put("persistentvolumeclaims", { metadata: { name: "files" } });
    table.put("persistentvolumeclaims", { metadata: { name: "data-db-0" } });
    const message = "Some resources are remaining: persistentvolumeclaims. has 2 resource instances";
    table.put("namespaces", terminating("NamespaceContentRemaining", message));
    const waiting = recordWatch();
    const removing = table.cluster.space(NAMESPACE, UID).remove(waiting);
    await waiting.told(/waits for persistentvolumeclaims files, data-db-0 to be deleted$/);
    const held = "Some content in the namespace has finalizers remaining: kubernetes.io/pvc-protection in 2 resource " +
      "instances";
    table.put("namespaces", terminating("NamespaceFinalizersRemaining", held));
    await waiting.told(/held by the finalizer kubernetes\.io\/pvc-protection$/);
    const failed = "Discovery failed for some groups, 1 failing: metrics.k8s.io/v1beta1: stale GroupVersion discovery";
    table.put("namespaces", terminating("NamespaceDeletionDiscoveryFailure", failed));
    await waiting.told(/cannot list all kinds: Discovery failed/);
    table.drop("namespaces", NAMESPACE);
    await removing;
    assert.not(table.server.requests.some((one) => one.method === "DELETE"), "it was being deleted already");
  } finally {
    await table.close();
  }
});

test.run();
