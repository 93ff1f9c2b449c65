/**
 * Checks a spoke's health from the status of the spoke's Kubernetes objects and from its login page. The readiness probe
 * also requests the login page, which queries the database (see app.yaml).
 */
import { DATABASE_STATEFULSET_REF, getSitePvcNames, MOODLE_DEPLOYMENT_REF } from "#lib/moodle/names.ts";
import { MANAGED_BY_LABEL } from "#lib/drivers/cluster/guard.ts";
import type { KubeObject, ObjectRef } from "#lib/drivers/cluster/cluster.ts";
import type { HealthState } from "#lib/model/states.ts";

/** The number of consecutive failed checks after which a spoke is degraded. One success makes the spoke healthy. */
export const FAILED_CHECKS_LIMIT = 3;

interface HealthFacts {
  /** The health that the decision replaces. */
  readonly health: HealthState;
  /** The number of consecutive failed checks of the Kubernetes objects, including the current check. */
  readonly failedChecks: number;
  /** Why the login page does not work; null if it works or was not requested. */
  readonly pageProblem: string | null;
}

/**
 * Decides a spoke's health from the checks of its Kubernetes objects and of its login page. Failed checks below the
 * limit change nothing, because they may be a coincidence. A page problem was already confirmed by a second request.
 */
export function decideHealth({ health, failedChecks, pageProblem }: HealthFacts): HealthState {
  if (pageProblem !== null || failedChecks >= FAILED_CHECKS_LIMIT) return "degraded";
  return failedChecks === 0 ? "healthy" : health;
}

const CLAIM = { apiVersion: "v1", kind: "PersistentVolumeClaim" };

/** Returns the Kubernetes objects that must be healthy, in addition to the namespace. */
export function listObjectsToCheck(site: Parameters<typeof getSitePvcNames>[0]): readonly ObjectRef[] {
  return [
    MOODLE_DEPLOYMENT_REF,
    DATABASE_STATEFULSET_REF,
    ...Object.values(getSitePvcNames(site)).map((name) => ({ ...CLAIM, name })),
  ];
}

export const HEALTH_OBJECT_KINDS: readonly Omit<ObjectRef, "name">[] = [
  MOODLE_DEPLOYMENT_REF,
  DATABASE_STATEFULSET_REF,
  CLAIM,
]
  .map(({ apiVersion, kind }) => ({ apiVersion, kind }));

/** Returns a sentence about a problem with the namespace, or null if there is none. */
export function findNamespaceProblem(namespace: KubeObject | null, uid: string): string | null {
  if (!namespace) return "The site's namespace no longer exists";
  const { metadata, status } = namespace as KubeObject & { readonly status?: { readonly phase?: string } };
  if (metadata.uid !== uid) return "The site's namespace was replaced by another namespace with the same name";
  if (metadata.labels?.[MANAGED_BY_LABEL] !== "wheelwright") {
    return `The site's namespace does not have the label ${MANAGED_BY_LABEL}=wheelwright`;
  }
  const isDeleting = metadata.deletionTimestamp !== undefined || status?.phase === "Terminating";
  return isDeleting ? "The site's namespace is being deleted" : null;
}

/** Returns a problem with the Kubernetes object, or null if there is none. */
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
