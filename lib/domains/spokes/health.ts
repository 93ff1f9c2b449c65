/**
 * Checks a spoke's health by the status of its Kubernetes objects. Its readiness probe reads a page that queries the
 * database (app.yaml). The site is not requested directly, because network policies would block that.
 */
import { DATABASE_STATEFULSET, MOODLE_DEPLOYMENT, sitePvcNames } from "#lib/moodle/names.ts";
import { MANAGED_BY_LABEL } from "#lib/drivers/cluster/guard.ts";
import type { KubeObject, ObjectRef } from "#lib/drivers/cluster/cluster.ts";

/** Number of consecutive failed checks after which a spoke is degraded. A single successful check makes it healthy. */
export const FAILED_CHECKS_LIMIT = 3;

const CLAIM = { apiVersion: "v1", kind: "PersistentVolumeClaim" };

/** Returns the site's objects that must be healthy. The namespace must also be healthy. */
export function listObjectsToCheck(site: Parameters<typeof sitePvcNames>[0]): readonly ObjectRef[] {
  return [
    MOODLE_DEPLOYMENT,
    DATABASE_STATEFULSET,
    ...Object.values(sitePvcNames(site)).map((name) => ({ ...CLAIM, name })),
  ];
}

export const HEALTH_OBJECT_KINDS: readonly Omit<ObjectRef, "name">[] = [MOODLE_DEPLOYMENT, DATABASE_STATEFULSET, CLAIM]
  .map(({ apiVersion, kind }) => ({ apiVersion, kind }));

/** Returns what is wrong with the namespace, as a sentence. Null if nothing is wrong. */
export function findNamespaceProblem(namespace: KubeObject | null, uid: string): string | null {
  if (!namespace) return "Its namespace is gone";
  const { metadata, status } = namespace as KubeObject & { readonly status?: { readonly phase?: string } };
  if (metadata.uid !== uid) return "Its namespace was replaced by another one";
  if (metadata.labels?.[MANAGED_BY_LABEL] !== "wheelwright") {
    return `Its namespace lacks the label ${MANAGED_BY_LABEL}=wheelwright`;
  }
  const isDeleting = metadata.deletionTimestamp !== undefined || status?.phase === "Terminating";
  return isDeleting ? "Its namespace is being deleted" : null;
}

/** Returns what is wrong with the object. Null if nothing is wrong. */
export function findObjectProblem(
  { kind, name }: Omit<ObjectRef, "apiVersion">,
  object: KubeObject | null,
): string | null {
  const what = `${kind} ${name}`;
  if (!object) return `${what} is missing`;
  const status = object["status"] ?? {};
  switch (kind) {
    case "Deployment":
      if (object["spec"]?.replicas === 0) return `${what} is scaled to 0`;
      return status.availableReplicas > 0 ? null : `${what} has no available pod`;
    case "StatefulSet":
      if (object["spec"]?.replicas === 0) return `${what} is scaled to 0`;
      return status.readyReplicas > 0 ? null : `${what} has no ready pod`;
    default:
      if (object.metadata.deletionTimestamp !== undefined) return `${what} is being deleted`;
      return status.phase === "Bound" ? null : `${what} is ${status.phase ?? "Pending"}, not Bound`;
  }
}
