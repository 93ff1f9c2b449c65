/**
 * Checks the health of a spoke by the status of its Kubernetes objects. The readiness probe reads a page that queries
 * the database (app.yaml). The site is not called directly, because network policies would block the call. A site in
 * maintenance counts as healthy.
 */
import { DATABASE_STATEFULSET, MOODLE_DEPLOYMENT, sitePvcNames } from "#lib/moodle/names.ts";
import { MANAGED_BY_LABEL } from "#lib/drivers/cluster/guard.ts";
import type { KubeObject, ObjectRef } from "#lib/drivers/cluster/cluster.ts";

/** Number of failed checks in a row that make a spoke degraded. One successful check makes it healthy. */
export const FAILED_CHECKS_LIMIT = 3;

const CLAIM = { apiVersion: "v1", kind: "PersistentVolumeClaim" };

/** Returns the objects of a site that must be healthy, in addition to the namespace. */
export function listObjectsToCheck(site: Parameters<typeof sitePvcNames>[0]): readonly ObjectRef[] {
  return [
    MOODLE_DEPLOYMENT,
    DATABASE_STATEFULSET,
    ...Object.values(sitePvcNames(site)).map((name) => ({ ...CLAIM, name })),
  ];
}

export const HEALTH_OBJECT_KINDS: readonly Omit<ObjectRef, "name">[] = [MOODLE_DEPLOYMENT, DATABASE_STATEFULSET, CLAIM]
  .map(({ apiVersion, kind }) => ({ apiVersion, kind }));

/** Returns the problem of the namespace as a sentence, or null. */
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

/** Returns the problem of an object, or null. */
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
